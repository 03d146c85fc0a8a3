import type { TestDatabase } from './test-database.js';

/** Every value of a world that no assistant may read, as text to search for. */
export async function secretsOf(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ secret: string | null }>(`
    SELECT name AS secret FROM deal_sets.dealership UNION SELECT phone FROM deal_sets.dealership
    UNION SELECT email FROM deal_sets.dealership UNION SELECT website FROM deal_sets.dealership
    UNION SELECT text FROM deal_sets.question UNION SELECT body FROM deal_sets.draft
    UNION SELECT buyer_zip FROM deal_sets.deal_set
    UNION SELECT car_interior_color FROM deal_sets.deal_set UNION SELECT car_drivetrain FROM deal_sets.deal_set
    UNION SELECT car_powertrain FROM deal_sets.deal_set
    -- A whole number of miles could be any number; a fraction identifies.
    UNION SELECT distance_miles::text FROM deal_sets.price_check WHERE distance_miles <> floor(distance_miles)`);
  return rows.map((row) => row.secret?.trim() ?? '').filter((secret) => secret.length > 2);
}

/** Returns the secrets that occur in a text, as whole words and in their JSON form. */
export function leaksIn(text: string, secrets: readonly string[]): string[] {
  return secrets.filter((secret) => {
    const written = JSON.stringify(secret).slice(1, -1);
    for (let at = text.indexOf(written); at !== -1; at = text.indexOf(written, at + 1)) {
      const isWord = (character: string | undefined): boolean =>
        /[\p{L}\p{N}]/u.test(character ?? '');
      if (!isWord(text[at - 1]) && !isWord(text[at + written.length])) return true;
    }
    return false;
  });
}
