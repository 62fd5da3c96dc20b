import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/start/environment.ts'

const files = ['docs/**/*.md', 'node_modules/**/*.{md,ts,mts,js,mjs}']
const MAX_FILE_BYTES = 3_000_000

const notSentences = /```[\s\S]*?```|^[ \t]*(\*|\/\/|#|\/\*\*)+ ?/gm
const link = /\[([^\]]*)\]\([^)]*\)/g
const isSentence = /^[A-Z][\w ,;:'’()-]{20,250}[.!?]$/
const MIN_WORDS = 5

/** Different sentences that people wrote: in our documentation, and in that and the comments of the installed packages. */
export const realSentences = (): string[] => {
  const sentences = new Set<string>()
  const paths = files.flatMap((pattern) => globSync(pattern, { cwd: root })).sort()
  for (const path of paths.map((each) => join(root, each))) {
    const about = statSync(path, { throwIfNoEntry: false })
    if (!about?.isFile() || about.size > MAX_FILE_BYTES) continue
    const text = readFileSync(path, 'utf8').replace(notSentences, ' ').replace(link, '$1')
    for (const part of text.split(/(?<=[.!?])\s+/)) {
      const sentence = part.replace(/\s+/g, ' ').trim()
      if (isSentence.test(sentence) && sentence.split(' ').length >= MIN_WORDS) sentences.add(sentence)
    }
  }
  return [...sentences]
}
