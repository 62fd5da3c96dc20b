/** The values of --audio. */
export const audioFormats = ['source', 'mp3', 'm4a', 'opus', 'wav'] as const

/**
 * The format after --audio may be missing, and the parser would then take the URL behind it for one. So
 * `--audio URL` becomes `--audio=source URL`.
 */
export const withAudioFormat = (words: readonly string[]): string[] => {
  const end = words.indexOf('--')
  return words.map((word, index) => {
    const isOption = word === '--audio' && (end < 0 || index < end)
    return isOption && !isFormat(words[index + 1]) ? '--audio=source' : word
  })
}

const isFormat = (word: string | undefined): boolean => (audioFormats as readonly (string | undefined)[]).includes(word)
