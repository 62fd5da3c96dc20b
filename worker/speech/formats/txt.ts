import type { Segment } from '../../domain/words/segment.ts'
import { pauseAfter, seam } from '../../domain/words/writing.ts'
import type { Transcript } from '../transcript.ts'

/** Nobody spoke for so long: a new thought. */
const pauseSeconds = 2
/** Captions without pauses would make one wall of text: from here on a paragraph ends with its sentence. */
const longCharacters = 600

/** Paragraphs with an empty line between them; who speaks stands before what they say. */
export function* txt({ segments }: Transcript): Generator<string> {
  let previous: Segment | undefined
  let characters = 0
  for (const segment of segments) {
    const begins = previous === undefined || startsParagraph(previous, segment, characters)
    if (previous && begins) yield '\n\n'
    if (begins) characters = 0
    if (begins && segment.speaker) yield `${segment.speaker}: `
    yield (previous && !begins ? seam(previous.text, segment.text) : '') + segment.text
    characters += segment.text.length
    previous = segment
  }
  if (previous) yield '\n'
}

const startsParagraph = (previous: Segment, segment: Segment, characters: number) =>
  previous.speaker !== segment.speaker ||
  segment.start - previous.end >= pauseSeconds ||
  (characters >= longCharacters && pauseAfter(lastWord(previous.text), segment.text) === 'sentence')

const lastWord = (text: string) => text.slice(text.lastIndexOf(' ') + 1)
