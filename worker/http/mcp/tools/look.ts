import { z } from 'zod'
import { HttpUrl } from '../../schemas.ts'
import { type Answer, BalanceFields, dollars, length } from '../answer.ts'
import { refusedAnswer } from '../problems.ts'
import { quotedTitle, shortTitle, visible } from '../quoted-text.ts'
import { tool } from '../tool.ts'

const Price = z
  .number()
  .nullable()
  .describe('In dollars. null: not known, because the source does not state its length or size.')

const Output = z.object({
  is_playlist: z.boolean(),
  title: z.string().nullable().describe('Quoted from the source.'),
  platform: z.string().optional(),
  is_live: z.boolean().optional(),
  duration_seconds: z.number().nullable().optional(),
  captions: z.array(z.object({ language: z.string(), kind: z.enum(['manual', 'automatic']) })).optional(),
  transcribe: z
    .object({
      captions: Price.describe('In dollars. null: there are no captions.'),
      builtin: Price,
      provider: Price.describe('In dollars, for provider_a, provider_b and provider_c, which also bill their own key.'),
      audio_download: Price.describe('Charged in addition to builtin and provider.'),
      is_estimate: z.boolean(),
    })
    .optional(),
  import_media: z
    .array(
      z.object({
        audio_only: z.boolean(),
        video_quality: z.string(),
        size_bytes: z.number().nullable(),
        price: Price,
        is_estimate: z.boolean(),
      }),
    )
    .optional(),
  entry_count: z.number().nullable().optional(),
  entries: z
    .array(z.object({ url: z.string(), title: z.string().nullable(), duration_seconds: z.number().nullable() }))
    .optional()
    .describe('The first entries of a playlist. Quoted from the source.'),
  charged_dollars: z.literal(0),
  ...BalanceFields,
})

/** What GET /metadata answers. */
interface Metadata {
  isPlaylist: boolean
  title: string | null
  duration: number | null
  durationIsEstimate: boolean
  platform: string
  isLive: boolean
  captions: { language: string; kind: string }[]
  estimate: {
    imports: {
      includeVideo: boolean
      videoQuality: string
      audioQuality: string
      downloadBytes: number | null
      costInDollars: number | null
      isEstimate: boolean
    }[]
    transcription: {
      platformCaptions: number | null
      builtin: number | null
      provider: number | null
      audioDownload: number | null
      isEstimate: boolean
    }
  }
  count: number | null
  entries: { url: string; title: string | null; duration: number | null }[]
}

export const look = tool({
  name: 'look',
  title: 'Look at a URL',
  description:
    'See what a URL leads to before spending anything: title, length, captions, and the price of every way to transcribe or import it. Of a playlist, channel or podcast feed it lists the first entries with their URLs. Free. Then call transcribe or import_media.',
  annotations: { readOnlyHint: true, openWorldHint: true },
  input: z.strictObject({
    url: HttpUrl.describe('The address of a page or of a file with media, or of a playlist.'),
  }),
  output: Output,
  run: async ({ url }, { api }) => {
    const answer = await api('GET', `/metadata?${new URLSearchParams({ url })}`)
    if (!answer.ok) return refusedAnswer(answer.refused)
    const metadata: Metadata = answer.data
    return metadata.isPlaylist ? playlistAnswer(metadata) : mediaAnswer(metadata)
  },
})

const FREE = 'This call was free.'

const mediaAnswer = ({
  title,
  duration,
  durationIsEstimate,
  platform,
  isLive,
  captions,
  estimate,
}: Metadata): Answer => {
  const { platformCaptions, builtin, provider, audioDownload, isEstimate } = estimate.transcription
  const about = durationIsEstimate ? 'about ' : ''
  const imports = estimate.imports.map((item) => ({
    audio_only: !item.includeVideo,
    video_quality: item.videoQuality,
    size_bytes: item.downloadBytes,
    price: item.costInDollars,
    is_estimate: item.isEstimate,
  }))
  return {
    lines: [
      `${quotedTitle(title ?? '')} (title from the source), ${duration === null ? 'length unknown' : `${about}${length(duration)}`}, from ${visible(platform)}.`,
      isLive ? 'It is a live stream, which can be transcribed and imported after it has ended.' : '',
      captions.length > 0
        ? `Captions: ${captions.map(({ language, kind }) => `${visible(language)} (${kind})`).join(', ')}.`
        : 'No captions.',
      `transcribe: ${[
        platformCaptions === null ? '' : `without a provider ${dollars(platformCaptions)} (the captions)`,
        `with provider "builtin" ${price(sum(builtin, audioDownload), isEstimate)}`,
        `with provider_a, provider_b or provider_c ${price(sum(provider, audioDownload), isEstimate)}, plus what the provider bills its own key`,
      ]
        .filter((part) => part !== '')
        .join('; ')}.`,
      imports.length === 0 ? '' : `import_media: ${imports.map(importLine).join('; ')}.`,
      FREE,
    ],
    data: {
      is_playlist: false,
      title: title === null ? null : shortTitle(title),
      platform: visible(platform),
      is_live: isLive,
      duration_seconds: duration,
      captions,
      transcribe: {
        captions: platformCaptions,
        builtin,
        provider,
        audio_download: audioDownload,
        is_estimate: isEstimate,
      },
      import_media: imports,
      charged_dollars: 0,
    },
  }
}

const sum = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other

const price = (amount: number | null, isEstimate: boolean): string =>
  amount === null ? 'at a price that is not known yet' : `${isEstimate ? 'about ' : ''}${dollars(amount)}`

const importLine = (item: { audio_only: boolean; video_quality: string; price: number | null; is_estimate: boolean }) =>
  `${item.audio_only ? 'audio_only' : `video_quality "${item.video_quality}"`} ${price(item.price, item.is_estimate)}`

const playlistAnswer = ({ title, count, entries }: Metadata): Answer => ({
  lines: [
    `${title === null ? 'A playlist' : `The playlist ${quotedTitle(title)} (title from the source)`} with ${count === null ? 'an unknown number of' : count} entries. The first ${entries.length} are below.`,
    'Call transcribe or import_media with the URL of an entry. To get all of them, the user can send POST /batches to the HTTP API.',
    FREE,
  ],
  data: {
    is_playlist: true,
    title: title === null ? null : shortTitle(title),
    entry_count: count,
    entries: entries.map((entry) => ({
      url: entry.url,
      title: entry.title === null ? null : shortTitle(entry.title),
      duration_seconds: entry.duration,
    })),
    charged_dollars: 0,
  },
  quoted: {
    what: 'the list of entries',
    text: entries
      .map(({ url, title, duration }) =>
        [url, title === null ? '' : quotedTitle(title), duration === null ? '' : length(duration)]
          .filter((part) => part !== '')
          .join(' '),
      )
      .join('\n'),
  },
})
