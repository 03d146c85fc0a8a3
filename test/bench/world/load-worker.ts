import { parentPort, workerData } from 'node:worker_threads';
import { loadPart, type LoadPart } from './load-part.js';

// A thread of the bulk load.
await loadPart(workerData as LoadPart, (count) => parentPort?.postMessage(count));
