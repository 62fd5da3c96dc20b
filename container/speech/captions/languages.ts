/** Broadcasters and mp4 files use these old three-letter codes; all others have one that Intl knows. */
const bibliographic: Record<string, string> = {
  alb: 'sq',
  arm: 'hy',
  baq: 'eu',
  bur: 'my',
  chi: 'zh',
  cze: 'cs',
  dut: 'nl',
  fre: 'fr',
  geo: 'ka',
  ger: 'de',
  gre: 'el',
  ice: 'is',
  mac: 'mk',
  mao: 'mi',
  may: 'ms',
  per: 'fa',
  rum: 'ro',
  slo: 'sk',
  tib: 'bo',
  wel: 'cy',
}

/** The same language for a viewer, whatever the standards say. */
const alike: Record<string, string> = { nb: 'no', fil: 'tl' }

interface Language {
  /** As standards write it. */
  tag: string
  language: string
  script: string | undefined
  region: string | undefined
}

/** Null where nothing is said: '', 'und', or no language at all. */
const parse = (tag: string): Language | null => {
  const [primary = '', ...rest] = tag.trim().toLowerCase().split(/[-_]/, 4)
  const known = bibliographic[primary] ?? primary
  // What follows may be a platform's own (`en-orig`, `en-nP7-2PuUl7o`): only scripts and regions count.
  const parts = rest.filter((part) => /^(?:[a-z]{4}|[a-z]{2}|\d{3})$/.test(part) && part !== 'orig').slice(0, 2)
  try {
    const locale = new Intl.Locale([known, ...parts].join('-'))
    const { language, region } = locale
    // V8 has no language at all for `und`, other engines have 'und'; maximized it would be English.
    if (!language || language === 'und') return null
    return { tag: locale.baseName, language: alike[language] ?? language, script: locale.maximize().script, region }
  } catch {
    return parts.length > 0 ? parse(known) : null
  }
}

/**
 * How well a track's language answers a wish: 3 the very one, 2 where one of both names no region (`en` and
 * `en-US`), 1 another region's (`pt-PT` for `pt-BR`), 0 not at all. Another script is another language.
 */
export const languageMatch = (wanted: string, offered: string): 0 | 1 | 2 | 3 => {
  const [wish, offer] = [parse(wanted), parse(offered)]
  if (!wish || !offer || wish.language !== offer.language || wish.script !== offer.script) return 0
  if (wish.region === offer.region) return 3
  return wish.region === undefined || offer.region === undefined ? 2 : 1
}

/** `ger` is `de`, `en_us` is `en-US`, `en-orig` is `en`; null where a tag says nothing. */
export const plainTag = (tag: string): string | null => parse(tag)?.tag ?? null

export const isUndetermined = (tag: string) => parse(tag) === null
