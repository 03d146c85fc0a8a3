import fc from 'fast-check';
import { previewOf, SEPARATE } from './preview.js';

const FAMILY = '👨‍👩‍👧‍👦';

describe('previewOf', () => {
  it.each<[string, string, boolean, string, boolean]>([
    ['shows a short draft whole', 'Hello', false, 'Hello', true],
    ['is not complete when the draft goes on after the opening', 'Hello', true, 'Hello', false],
    ['shows 280 characters whole', 'a'.repeat(280), false, 'a'.repeat(280), true],
    ['cuts after 280 characters', 'a'.repeat(281), false, 'a'.repeat(280), false],
    ['counts graphemes, not code units', '🇩🇪'.repeat(281), false, '🇩🇪'.repeat(280), false],
  ])('%s', (_what, opening, isPartial, text, isComplete) => {
    expect(previewOf(opening, isPartial)).toEqual({ text, isComplete });
  });

  it.each([true, false])('is null for an empty draft', (isPartial) => {
    expect(previewOf('', isPartial)).toEqual({ text: null, isComplete: false });
  });

  it.each(['漢', '한', 'a', 'é', 'ж', '。'])('counts %j as one character', (character) => {
    const text = character.repeat(280);
    expect(previewOf(text, false)).toEqual({ text, isComplete: true });
    expect(previewOf(`${text}${character}`, false)).toEqual({ text, isComplete: false });
    expect(previewOf(`${text}\u0301`, false).text).toBe(`${text}\u0301`);
  });

  it('treats characters as separate only when the segmenter never joins them', () => {
    const codes = Array.from({ length: 0x1_00_00 }, (_, code) => String.fromCharCode(code));
    const separate = codes.filter((character) => SEPARATE.test(character));
    expect(separate.length).toBeGreaterThan(30_000);
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
    // Uses short, overlapping texts, because the segmenter is slow on long ones.
    for (const characters of [separate, separate.toReversed()]) {
      for (let start = 0; start < characters.length; start += 200) {
        const some = characters.slice(start, start + 201);
        expect([...segmenter.segment(some.join(''))]).toHaveLength(some.length);
      }
    }
  });

  it('ends before the grapheme that exceeds 2,000 code units', () => {
    expect(FAMILY).toHaveLength(11);
    expect(previewOf(FAMILY.repeat(280), false)).toEqual({
      text: FAMILY.repeat(181),
      isComplete: false,
    });
    const fitting = `${FAMILY.repeat(181)}aaaaaaaaa`;
    expect(previewOf(fitting, false)).toEqual({ text: fitting, isComplete: true });
    expect(previewOf(`${fitting}\u0301`, false).text).toBe(fitting.slice(0, -1));
  });

  it('cuts a longer first grapheme between code points', () => {
    const marks = `a${'\u0301'.repeat(5_000)}`;
    expect(previewOf(marks, false)).toEqual({ text: marks.slice(0, 2_000), isComplete: false });
    const wide = `a${'\u{1f3fd}'.repeat(5_000)}`;
    expect(previewOf(wide, false)).toEqual({ text: wide.slice(0, 1_999), isComplete: false });
    expect(previewOf(`b${marks}`, false)).toEqual({ text: 'b', isComplete: false });
  });

  it('cuts at the same place as one pass over the whole draft, for any characters', () => {
    // Letters, line ends, marks, joiners, flags, syllables, and half a character.
    const parts = [...'a \r\né\u0301\u200d👩🏽💻🇩한하क्ष\ufe0f日ж—', ...['e\u0301', '\ud83c']];
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
