import { EnglishDisplayTexts } from '@deal-sets/service';

const STATES: Readonly<Record<string, string>> = {
  written: 'Preis liegt vor',
  waiting: 'Preis steht aus',
  different_car: 'Anderes Auto',
};

/** German display texts. Texts that this class does not override stay English. */
export class GermanTexts extends EnglishDisplayTexts {
  override status({ state, ended }: Parameters<EnglishDisplayTexts['status']>[0]): string {
    return ended === null ? (STATES[state] ?? 'Offen') : 'Beendet';
  }

  override headerLine({
    written,
    waiting,
  }: Parameters<EnglishDisplayTexts['headerLine']>[0]): string {
    return `${written} Preise, ${waiting} offen`;
  }
}
