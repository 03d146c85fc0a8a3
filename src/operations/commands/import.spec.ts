import { importProgress } from './import.js';

describe('the progress of an import without a terminal', () => {
  const lines: string[] = [];
  beforeEach(() => {
    lines.length = 0;
    jest.useFakeTimers();
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      lines.push(String(text));
      return true;
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('is an occasional plain line, with the percentage that is read', () => {
    const progress = importProgress(1_000);
    progress.read(100, 5);
    expect(lines).toEqual([]);
    jest.advanceTimersByTime(2_000);
    progress.read(400, 12_345);
    progress.read(100, 12_400);
    jest.advanceTimersByTime(2_000);
    progress.phase('writing reply', 0.7);
    progress.end();
    expect(lines).toEqual(['reading: 50%, 12,345 records (2 s)\n', 'writing reply (4 s)\n']);
  });

  it('leaves the percentage out when the length is unknown', () => {
    const progress = importProgress(undefined);
    jest.advanceTimersByTime(2_000);
    progress.read(100, 5);
    expect(lines).toEqual(['reading: 5 records (2 s)\n']);
  });
});
