import type {
  CarName,
  CarText,
  Ending,
  QuestionText,
  RequestedName,
  RowCounts,
  RowState,
  RowStatus,
  Texts,
} from '@deal-sets/service';

const NUMBER = new Intl.NumberFormat('de-DE');
const DOLLARS = new Intl.NumberFormat('de-DE', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 0,
});

const STATUS: Readonly<Record<RowState | Ending, string>> = {
  written: 'Preis liegt schriftlich vor',
  waiting: 'Schriftlicher Preis steht aus',
  different_car: 'Antwort zu einem anderen Auto',
  ended: 'Beendet',
  sold: 'Das Auto ist verkauft',
  closed_with_price: 'Mit schriftlichem Preis beendet',
  no_price: 'Ohne Preis beendet',
  timed_out: 'Keine rechtzeitige Antwort',
};

const TOPICS: ReadonlyMap<string, string> = new Map([
  ['appointment', 'zu einem Termin'],
  ['availability', 'zur Verfügbarkeit'],
  ['color', 'zur Farbe'],
  ['configuration', 'zur Ausstattung'],
  ['contact', 'zu Ihren Kontaktdaten'],
  ['delivery', 'zur Lieferung'],
  ['financing', 'zur Finanzierung'],
  ['price', 'zum Preis'],
  ['rebates', 'zu Rabatten'],
  ['timing', 'zum Zeitplan'],
  ['trade_in', 'zur Inzahlungnahme'],
  ['trim', 'zur Modellvariante'],
]);

/**
 * All display texts in German, with the paths of the German website. Facts that are unknown to the
 * caller are null, and are left out.
 */
export class GermanTexts implements Texts {
  car({ aboutMiles, listedAtCents, exteriorColor, ...name }: CarText): string {
    return join(', ', [
      join(' ', [exteriorColor, this.shortCar(name)]),
      aboutMiles !== null && `etwa ${NUMBER.format(aboutMiles)} Meilen`,
      listedAtCents !== null && `Listenpreis ${DOLLARS.format(listedAtCents / 100)}`,
    ]);
  }

  shortCar({ year, model, trim }: CarName): string {
    return join(' ', [year, model, trim]);
  }

  requestedCar({ year, model }: RequestedName): string {
    return join(' ', [year, model]) || 'Auto';
  }

  status({ state, ended }: RowStatus): string {
    return STATUS[ended ?? state];
  }

  questionHeading({ category, label }: QuestionText): string {
    // Further categories may be added.
    return `${join(' ', ['Frage', TOPICS.get(category)])}: ${label}`;
  }

  headerLine({ written, waiting, differentCar, ended, archived }: RowCounts): string {
    const counted = join(', ', [
      written > 0 && `${written} ${written === 1 ? 'schriftlicher Preis' : 'schriftliche Preise'}`,
      waiting > 0 && `${waiting} noch ohne schriftlichen Preis`,
      differentCar > 0 && `${differentCar} zu einem anderen Auto`,
      ended > 0 && `${ended} beendet`,
    ]);
    if (counted !== '') return counted;
    return archived > 0 ? `${archived} archiviert` : 'Noch keine Anfrage an einen Händler';
  }

  dealSetHref(dealSetId: string): string {
    return `/suchen/${dealSetId}`;
  }

  priceCheckHref(dealSetId: string, priceCheckId: string): string {
    return `/suchen/${dealSetId}/angebote/${priceCheckId}`;
  }
}

type Part = string | number | false | null | undefined;

function join(separator: string, parts: readonly Part[]): string {
  return parts.filter(Boolean).join(separator);
}
