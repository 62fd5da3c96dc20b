import { UsageError } from '../problems.ts'

/** The URLs of a file, one in a line. Empty lines and lines that start with # are left out. */
export const parseUrls = (text: string, name: string): string[] => {
  const urls: string[] = []
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    const word = line.trim()
    if (word === '' || word.startsWith('#')) continue
    if (!isHttpUrl(word))
      throw new UsageError(`${name}, line ${index + 1}: expected a URL that starts with http:// or https://.`)
    urls.push(word)
  }
  if (urls.length === 0) throw new UsageError(`${name} has no URLs.`)
  return urls
}

export const isHttpUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)
