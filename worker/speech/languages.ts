/** OpenAI returns Whisper's English names, AssemblyAI expects `en_us`, Deepgram uses BCP 47, as our callers do. */

/** From Whisper's tokenizer, aliases last. */
const whisperNames: Record<string, string> = Object.fromEntries(
  `afrikaans af,albanian sq,amharic am,arabic ar,armenian hy,assamese as,azerbaijani az,bashkir ba,basque eu,
  belarusian be,bengali bn,bosnian bs,breton br,bulgarian bg,cantonese yue,catalan ca,chinese zh,croatian hr,czech cs,
  danish da,dutch nl,english en,estonian et,faroese fo,finnish fi,french fr,galician gl,georgian ka,german de,greek el,
  gujarati gu,haitian creole ht,hausa ha,hawaiian haw,hebrew he,hindi hi,hungarian hu,icelandic is,indonesian id,
  italian it,japanese ja,javanese jv,kannada kn,kazakh kk,khmer km,korean ko,lao lo,latin la,latvian lv,lingala ln,
  lithuanian lt,luxembourgish lb,macedonian mk,malagasy mg,malay ms,malayalam ml,maltese mt,maori mi,marathi mr,
  mongolian mn,myanmar my,nepali ne,norwegian no,nynorsk nn,occitan oc,pashto ps,persian fa,polish pl,portuguese pt,
  punjabi pa,romanian ro,russian ru,sanskrit sa,serbian sr,shona sn,sindhi sd,sinhala si,slovak sk,slovenian sl,
  somali so,spanish es,sundanese su,swahili sw,swedish sv,tagalog tl,tajik tg,tamil ta,tatar tt,telugu te,thai th,
  tibetan bo,turkish tr,turkmen tk,ukrainian uk,urdu ur,uzbek uz,vietnamese vi,welsh cy,yiddish yi,yoruba yo,
  burmese my,castilian es,flemish nl,haitian ht,letzeburgesch lb,mandarin zh,moldavian ro,moldovan ro,panjabi pa,
  pushto ps,sinhalese si,valencian ca`
    .split(',')
    .map((entry) => entry.trim())
    .map((entry) => [entry.slice(0, entry.lastIndexOf(' ')), entry.slice(entry.lastIndexOf(' ') + 1)]),
)

const namesByCode = new Map(
  Object.entries(whisperNames)
    .reverse()
    .map(([name, code]) => [code, name]),
)
const englishNames = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })

/** Whisper's name for the language of a BCP 47 tag: `pt-BR` → `portuguese`. null: it has no English name. */
export const languageName = (code: string): string | null => {
  const base = baseLanguage(code)
  if (base === 'und') return null
  const known = namesByCode.get(base)
  if (known) return known
  try {
    return englishNames.of(base)?.toLowerCase() ?? null
  } catch {
    // A provider's name of a language that is no tag.
    return null
  }
}

/** Accepts any service's name for a language (`english`, `en`, `en_us`). */
export const languageCode = (name: string | null | undefined): string | null => {
  if (!name) return null
  return whisperNames[name.trim().toLowerCase()] ?? canonical(name)
}

/** `pt-BR` → `pt`. Whisper supports languages but not regions. */
export const baseLanguage = (code: string): string => canonical(code).split('-')[0] ?? code

/** AssemblyAI supports these regions only. */
const assemblyAiRegions: Record<string, string> = {
  'en-US': 'en_us',
  'en-GB': 'en_uk',
  'en-AU': 'en_au',
  'de-CH': 'de_ch',
}

export const assemblyAiLanguage = (code: string): string => assemblyAiRegions[canonical(code)] ?? baseLanguage(code)

const canonical = (code: string): string => {
  const hyphenated = code.trim().replaceAll('_', '-')
  try {
    return Intl.getCanonicalLocales(hyphenated)[0]?.replace(/-UK$/, '-GB') ?? hyphenated
  } catch {
    return hyphenated
  }
}
