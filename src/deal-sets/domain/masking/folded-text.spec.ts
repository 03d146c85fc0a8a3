import { foldText } from './folded-text.js';

describe('foldText', () => {
  it.each([
    ['Lakeside Motors, LLC', 'lakesidemotorsllc'],
    ['Smith & Sons', 'smithandsons'],
    ['Włodek Sørensen', 'wlodeksorensen'],
    ['STRAẞE Æther ŒĐ ıI', 'strasseaetheroedii'],
    ['Ｌａｋｅ ﬁeld ½', 'lakefield12'],
    ['La\u00adke\u200b M\u0336o\u0301', 'lakemo'],
    ['АВТОСАЛОН Ёлка', 'автосалонелка'],
    ['Νίκος ΝΊΚΟΣ', 'νικοσνικοσ'],
    ['Kuʻono Oʼahu Müller™', 'kuonooahumuller'],
    ['O&#39;Brien O&#x27;B O&#0039B O&rsquo;B', 'obrienobobob'],
    ['S&amp;T S&#38;T', 'sandtsandt'],
    ['O&amp;#39;B S&amp;amp;T', 'obsandt'],
    ['O&#038;#8217;B S&#x26;amp;T O&amp;#38;rsquo;B A&#38;B', 'obsandtobaandb'],
    ['M&uuml;ller &AElig;', 'mullerae'],
    ['AT&T; &amp &#99999999; &constructor;', 'atandtandand99999999andconstructor'],
    ['★ ™ 🚗', ''],
    ['\ud83c', ''],
  ])('keeps the letters and digits of %j', (text, letters) => {
    expect(foldText(text).letters.text).toBe(letters);
  });

  it('keeps case, blanks and punctuation in the plain text', () => {
    expect(foldText('Ｃａｌｌ\u00a0４１５–５５５, Mü\u00adll&#101;r').plain.text).toBe(
      'Call 415–555, Muller',
    );
  });

  it('maps each letter back to what it was made of', () => {
    const text = 'ab O&#39;Bri\u0301\u00aden, ½ßx';
    const { plain, letters } = foldText(text);
    const sourceOf = (letter: string): string => {
      const place = letters.text.indexOf(letter);
      return text.slice(plain.starts[letters.starts[place]!], plain.ends[letters.ends[place]! - 1]);
    };
    expect(sourceOf('i')).toBe('i\u0301\u00ad');
    expect(sourceOf('n')).toBe('n');
    expect(['1', '2'].map(sourceOf)).toEqual(['½', '½']);
    expect(sourceOf('s')).toBe('ß');
    expect(sourceOf('x')).toBe('x');
  });
});
