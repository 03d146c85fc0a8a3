/** Hears how far an import has come. */
export interface ImportProgress {
  /** Some more bytes were read; `records` in all so far. */
  read(bytes: number, records: number): void;
  /** What the import does now that the file is read. */
  phase(name: string): void;
  /** The import waits, perhaps for long; shown at once. */
  waiting(reason: string): void;
  /** The import is over, well or not. */
  end(): void;
}

export const SILENT_PROGRESS: ImportProgress = {
  read: () => undefined,
  phase: () => undefined,
  waiting: () => undefined,
  end: () => undefined,
};
