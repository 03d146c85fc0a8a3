import { importProgress } from './import.js';
import { ProgressLine } from './progress-line.js';

let written: string[];
beforeEach(() => {
  written = [];
  jest.useFakeTimers();
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

describe('the progress of an import without a terminal', () => {
  it('is an occasional plain line, with the percentage that is read', () => {
    const progress = importProgress(1_000);
    progress.read(100, 5);
    expect(written).toEqual([]);
    jest.advanceTimersByTime(5_000);
    progress.read(400, 12_345);
    progress.read(100, 12_400);
    jest.advanceTimersByTime(5_000);
    progress.phase('writing reply', 0.7);
    progress.end();
    expect(written).toEqual(['reading: 50%, 12,345 records (5 s)\n', 'writing reply (10 s)\n']);
  });

  it('leaves the percentage out when the length is unknown', () => {
    const progress = importProgress(undefined);
    jest.advanceTimersByTime(5_000);
    progress.read(100, 5);
    expect(written).toEqual(['reading: 5 records (5 s)\n']);
  });

  it('names the reason of a wait at once', () => {
    importProgress().waiting('waiting for another import');
    expect(written).toEqual(['waiting for another import\n']);
  });
});

describe('ProgressLine on a terminal', () => {
  const properties: [PropertyKey, PropertyDescriptor | undefined][] = [];
  beforeEach(() => {
    for (const [name, value] of Object.entries({ isTTY: true, columns: 60 })) {
      properties.push([name, Object.getOwnPropertyDescriptor(process.stderr, name)]);
      Object.defineProperty(process.stderr, name, { value, configurable: true });
    }
  });
  afterEach(() => {
    for (const [name, before] of properties.splice(0)) {
      if (before) Object.defineProperty(process.stderr, name, before);
      else Reflect.deleteProperty(process.stderr, name);
    }
  });

  it('draws one line, whose time also passes between two reports, and removes it at the end', () => {
    const line = new ProgressLine();
    line.update('writing reply', 0.5);
    expect(written).toEqual(['\r\u001b[K[############------------] 50% | 0 s | writing reply']);
    jest.advanceTimersByTime(3_000);
    expect(written.at(-1)).toBe('\r\u001b[K[############------------] 50% | 3 s | writing reply');
    line.wait('waiting for another import into this database to finish');
    expect(written.at(-1)).toHaveLength('\r\u001b[K'.length + 59);
    line.end();
    expect(written.at(-1)).toBe('\r\u001b[K');
    const count = written.length;
    jest.advanceTimersByTime(3_000);
    expect(written).toHaveLength(count);
  });
});
