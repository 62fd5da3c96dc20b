import { make } from '../dom.js'

/** What can be written into the field, and what it finds. */
const syntax = [
  ['"a phrase"', 'finds words in a row'],
  ['word*', 'finds all that begins so'],
  ['-word', 'leaves out what has the word'],
]

/** What to read when nothing was found. @returns {HTMLElement[]} */
export const nothingFound = () => {
  const about =
    'Searched are the transcripts, captions and titles of jobs, from a minute after they have ended. All words have to be said together.'
  const ways = syntax.flatMap(([code = '', meaning], index) => [
    index === 0 ? '' : index === syntax.length - 1 ? ', and ' : ', ',
    make('code', {}, code),
    ` ${meaning}`,
  ])
  return [make('p', {}, about), make('p', {}, ...ways, '.')]
}
