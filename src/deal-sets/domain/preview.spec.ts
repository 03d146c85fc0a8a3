import fc from 'fast-check';
import { previewOf } from './preview.js';

const FAMILY = '👨‍👩‍👧‍👦';

describe('previewOf', () => {
  it('shows a short draft whole', () =>
    expect(previewOf('Hello', false)).toEqual({ text: 'Hello', isComplete: true }));
  it('shows 280 characters whole', () =>
    expect(previewOf('a'.repeat(280), false).isComplete).toBe(true));
  it('cuts after 280 characters', () =>
    expect(previewOf('a'.repeat(281), false)).toEqual({
      text: 'a'.repeat(280),
      isComplete: false,
    }));
  it('is not complete when the draft goes on after the opening', () =>
    expect(previewOf('Hello', true)).toEqual({ text: 'Hello', isComplete: false }));

  it('counts graphemes, not code units', () => {
    const flags = '🇩🇪'.repeat(280);
    expect(previewOf(flags, false)).toEqual({ text: flags, isComplete: true });
    expect(previewOf(`${flags}🇫🇷`, false)).toEqual({ text: flags, isComplete: false });
    const lines = 'a\r\n'.repeat(141);
    expect(previewOf(lines, false).text).toBe('a\r\n'.repeat(140));
  });

  it('ends before the grapheme that passes 2,000 code units', () => {
    expect(FAMILY).toHaveLength(11);
    expect(previewOf(FAMILY.repeat(280), false)).toEqual({
      text: FAMILY.repeat(181),
      isComplete: false,
    });
    const fitting = `${FAMILY.repeat(181)}aaaaaaaaa`;
    expect(previewOf(fitting, false)).toEqual({ text: fitting, isComplete: true });
    expect(previewOf(`${fitting}\u0301`, false).text).toBe(fitting.slice(0, -1));
  });

  it('cuts a first grapheme that is longer between code points', () => {
    const marks = `a${'\u0301'.repeat(5_000)}`;
    expect(previewOf(marks, false)).toEqual({ text: marks.slice(0, 2_000), isComplete: false });
    const wide = `a${'\u{1f3fd}'.repeat(5_000)}`;
    expect(previewOf(wide, false)).toEqual({ text: wide.slice(0, 1_999), isComplete: false });
    expect(previewOf(`b${marks}`, false)).toEqual({ text: 'b', isComplete: false });
  });

  it('cuts at the same place as one pass over the whole draft, for any characters', () => {
    const parts = [
      'a',
      ' ',
      '\r',
      '\n',
      'é',
      'e\u0301',
      '\u200d',
      '👩',
      '🏽',
      '💻',
      '🇩',
      '한',
      'ᄒ',
      'ᅡ',
      'क',
      '्',
      'ष',
      '\ud83c',
      '️',
      '日',
      'ж',
      '—',
    ];
    const drafts = fc
      .array(fc.constantFrom(...parts), { minLength: 200, maxLength: 1_500, size: 'max' })
      .map((list) => list.join(''));
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
    fc.assert(
      fc.property(drafts, (draft) => {
        let expected = '';
        let graphemes = 0;
        for (const { segment } of segmenter.segment(draft)) {
          if (graphemes === 280 || expected.length + segment.length > 2_000) break;
          expected += segment;
          graphemes += 1;
        }
        expect(previewOf(draft, false)).toEqual({
          text: expected,
          isComplete: expected === draft,
        });
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });
});
