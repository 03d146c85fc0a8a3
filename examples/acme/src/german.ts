import type { DisplayTexts } from 'deal-sets';

const STATES: Readonly<Record<string, string>> = {
  written: 'Preis liegt vor',
  waiting: 'Preis steht aus',
  different_car: 'Anderes Auto',
};

export const german: DisplayTexts = {
  status: ({ state, ended }) => (ended === null ? (STATES[state] ?? 'Offen') : 'Beendet'),
  headerLine: ({ written, waiting }) => `${written} Preise, ${waiting} offen`,
};
