import { previewOf } from './preview.js';

describe('previewOf', () => {
  it('shows a short draft whole', () =>
    expect(previewOf('Hello')).toEqual({ text: 'Hello', isComplete: true }));
  it('shows 280 characters whole', () => expect(previewOf('a'.repeat(280)).isComplete).toBe(true));
  it('cuts after 280 characters', () =>
    expect(previewOf('a'.repeat(281))).toEqual({ text: 'a'.repeat(280), isComplete: false }));
  it('counts characters, not code units', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(previewOf(family.repeat(280))).toEqual({ text: family.repeat(280), isComplete: true });
    expect(previewOf(family.repeat(281))).toEqual({ text: family.repeat(280), isComplete: false });
  });
});
