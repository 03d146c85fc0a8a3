/** Of an import's time, how much the reading of its file usually takes. */
export const READING_SHARE = 0.2;

/** Hears how far an import has come. */
export interface ImportProgress {
  /** Some more bytes were read; `records` in all so far. */
  read(bytes: number, records: number): void;
  /**
   * What the import does now that the file is read.
   *
   * @param share of the whole import that is done, as it usually goes: 0 to 1.
   */
  phase(name: string, share: number): void;
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
