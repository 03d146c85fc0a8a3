import { Module } from '@nestjs/common';
import { Connections } from './connections.js';
import { Edge } from './edge.js';
import { UndeclaredHandlers } from './endpoint-check.js';

/** What the standalone application adds: its sockets, and the check that no handler is open by omission. */
@Module({ providers: [Edge, Connections, UndeclaredHandlers], exports: [Edge] })
export class EntranceModule {}
