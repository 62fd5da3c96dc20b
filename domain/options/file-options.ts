import { fileKinds } from '../jobs/part-kinds.ts'
import { transcriptFormats } from '../words/transcript-formats.ts'
import type { FormField, Option, Options } from './option.ts'
import { languageTag } from './shared-options.ts'

/** What a job makes beside its main result. */

export const MAX_CAPTION_LANGUAGES = 20
export const MAX_CAPTION_TRACKS = 50

export const captions = {
  shape: { type: 'captionLanguages' },
  about: `Captions as files: of up to ${MAX_CAPTION_LANGUAGES} languages, such as \`["en", "zh-Hant"]\`, or \`"all"\` that are no machine translation, at most ${MAX_CAPTION_TRACKS}. All of them together cost as much as one captions transcript.`,
  example: ['en', 'de'],
  flags: [['import batch', '--captions <list>', 'captions as files: en,de, or all']],
} as const satisfies Option

export const formats = {
  shape: { type: 'list', of: { type: 'choice', values: transcriptFormats }, min: 1, max: transcriptFormats.length },
  flags: [['import batch', '--formats <list>', 'of captions and transcript: vtt,txt (default: vtt)']],
} as const satisfies Option

const fileBox = (kind: string): FormField => ({
  label: kind.charAt(0).toUpperCase() + kind.slice(1),
  look: 'check',
  value: kind,
  shown: { isAlso: true },
})

export const importFileOptions = {
  captions: {
    ...captions,
    form: [
      { label: 'Captions', look: 'check', value: 'all', shown: { isAlso: true } },
      {
        label: 'Caption languages',
        name: 'captionLanguages',
        placeholder: 'all, or: en, de',
        shown: { needs: 'captions' },
      },
    ],
    mcp: {
      shape: { type: 'list', of: languageTag, min: 1, max: MAX_CAPTION_LANGUAGES },
      about: 'Also fetch captions in these languages, as files: codes such as en and pt-BR, or all.',
    },
  },
  files: {
    shape: { type: 'list', of: { type: 'choice', values: fileKinds }, min: 1, max: fileKinds.length },
    about: 'More files: the picture, what the source says about the media, and its chapters.',
    mcp: 'More files: thumbnail, info (what the source says about the media), chapters.',
    flags: [['import batch', '--files <list>', 'more files: thumbnail,info,chapters']],
    form: fileKinds.map(fileBox),
  },
  formats: {
    ...formats,
    about: 'The formats of captions and transcript. `["vtt"]` when omitted.',
    mcp: 'The formats of captions and transcript. vtt when omitted.',
    form: {
      label: 'Text formats',
      placeholder: 'vtt, or: srt, txt',
      shown: { needs: 'captions transcript', isMore: true },
    },
  },
} as const satisfies Options

export const transcribeFileOptions = {
  captions,
  formats: {
    ...formats,
    about: 'The formats of the files of the transcript and the captions. `["json"]` when omitted.',
    // Here the console writes files in any format, so only what is copied needs one.
    form: {
      label: 'Text formats',
      name: 'transcriptFormats',
      placeholder: 'json, or: srt, txt',
      shown: { needs: 'store', isMore: true },
    },
  },
} as const satisfies Options
