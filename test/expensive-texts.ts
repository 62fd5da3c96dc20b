/** Texts of about `size` characters that are expensive to split, or were. */
export const expensiveTexts: [string, (size: number) => string][] = [
  ['words', (size) => 'words of a talk, and more. '.repeat(size / 27)],
  ['one word', (size) => 'x'.repeat(size)],
  ['letters without spaces', (size) => '今日は良い天気ですね。'.repeat(size / 11)],
  ['opening brackets without a word', (size) => `今${'「'.repeat(size)}`],
  ['closing marks without a word', (size) => `今${'。'.repeat(size)}`],
  ['characters without a width', (size) => `ก${'\u200b'.repeat(size)}`],
  ['characters without a width between letters', (size) => '今\u200b\u200d\u2060'.repeat(size / 4)],
  ['accents on one letter', (size) => `e${'\u0301'.repeat(size)}`],
  ['joined emoji', (size) => '👨\u200d'.repeat(size / 3)],
  ['full stops', (size) => '. '.repeat(size / 2)],
  ['quotation marks', (size) => `.${'"'.repeat(size)} `],
  ['initials', (size) => 'J.R.'.repeat(size / 4)],
]
