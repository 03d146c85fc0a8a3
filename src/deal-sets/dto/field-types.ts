/** Type of a nullable whole number, such as US cents. */
export const INTEGER = { type: 'integer', isNullable: true } as const;
/** Type of a nullable text. */
export const TEXT = { type: 'text', isNullable: true } as const;
/** Type of a nullable time: ISO 8601 in UTC. */
export const TIME = { type: 'time', isNullable: true } as const;
/** Type of a count, never null. */
export const COUNT = { type: 'count' } as const;
/** Type of a distance in miles, never null. */
export const MILES = { type: 'decimal' } as const;
