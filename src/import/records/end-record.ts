import { IsWithin } from './field-rules.js';

/** The optional last line of a file. With it, a file that was cut off is recognised. */
export class EndRecord {
  /** How many records the file has before this line. */
  @IsWithin(0, Number.MAX_SAFE_INTEGER) records!: number;
}
