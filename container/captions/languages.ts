/** Languages that viewers treat as the same although the standards separate them. */
const aliases: Record<string, string> = { nb: 'no', fil: 'tl' }

interface Language {
  /** BCP 47. */
  tag: string
  language: string
  script: string | undefined
  region: string | undefined
}

const parse = (tag: string): Language | null => {
  // Intl also knows the three-letter codes of broadcasters and MP4 files (ISO 639-2/B): `ger` is `de`.
  const [primary = '', ...rest] = tag.trim().toLowerCase().split(/[-_]/, 4)
  // Platforms append subtags of their own (`en-orig`, `en-nP7-2PuUl7o`). Only scripts and regions are kept.
  const parts = rest.filter((part) => /^(?:[a-z]{4}|[a-z]{2}|\d{3})$/.test(part) && part !== 'orig').slice(0, 2)
  try {
    const locale = new Intl.Locale([primary, ...parts].join('-'))
    const { language, region } = locale
    // V8 returns no language for `und`, other engines return 'und'. `maximize()` would turn it into English.
    if (!language || language === 'und') return null
    return { tag: locale.baseName, language: aliases[language] ?? language, script: locale.maximize().script, region }
  } catch {
    return parts.length > 0 ? parse(primary) : null
  }
}

/**
 * 3 exact, 2 if one of the two has no region (`en` and `en-US`), 1 another region (`pt-PT` for `pt-BR`), 0 no match.
 * Another script counts as another language.
 */
export const languageMatch = (requested: string, offered: string): 0 | 1 | 2 | 3 => {
  const [request, offer] = [parse(requested), parse(offered)]
  if (!request || !offer || request.language !== offer.language || request.script !== offer.script) return 0
  if (request.region === offer.region) return 3
  return request.region === undefined || offer.region === undefined ? 2 : 1
}

/** `ger` becomes `de`, `en_us` becomes `en-US`, `en-orig` becomes `en`. null for a tag without a language. */
export const normalizeLanguageTag = (tag: string): string | null => parse(tag)?.tag ?? null

export const isUndetermined = (tag: string) => parse(tag) === null
