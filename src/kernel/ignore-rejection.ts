/**
 * Takes the rejection of a promise that a part of a team returned where no promise is expected: unhandled, it
 * would end the process of a host application.
 */
export function ignoreRejection(value: unknown): void {
  if (typeof value === 'object' && value !== null && 'then' in value) {
    Promise.resolve(value).catch(() => undefined);
  }
}
