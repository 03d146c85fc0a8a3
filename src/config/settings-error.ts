/** The environment cannot be used: one line for each wrong setting, its name and what is expected. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  /** @param lines never hold a setting's value: it may be a secret that was put in the wrong place. */
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}
