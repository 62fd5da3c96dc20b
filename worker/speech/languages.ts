/**
 * Every service names languages its own way: OpenAI answers with Whisper's English names, AssemblyAI
 * wants `en_us`, Deepgram BCP-47. Callers always see BCP-47.
 */

/** Whisper's names, aliases last, as its tokenizer has them. */
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

/** The BCP-47 code of whatever a service calls a language: `english`, `en`, `en_us`; null when it says nothing. */
export const languageCode = (said: string | null | undefined): string | null => {
  if (!said) return null
  const named = whisperNames[said.trim().toLowerCase()]
  return named ?? canonical(said)
}

/** `pt-BR` → `pt`: Whisper knows languages, not regions. */
export const baseLanguage = (code: string): string => canonical(code).split('-')[0] ?? code

/** The few regions that AssemblyAI tells apart; others it knows by their language alone. */
const assemblyAiRegions: Record<string, string> = {
  'en-US': 'en_us',
  'en-GB': 'en_uk',
  'en-AU': 'en_au',
  'de-CH': 'de_ch',
}

export const assemblyAiLanguage = (code: string): string => assemblyAiRegions[canonical(code)] ?? baseLanguage(code)

const canonical = (code: string): string => {
  const written = code.trim().replaceAll('_', '-')
  try {
    return Intl.getCanonicalLocales(written)[0]?.replace(/-UK$/, '-GB') ?? written
  } catch {
    return written
  }
}
