/**
 * The files of a transcript with the names that people gave to its speakers. The service knows only its labels, and in
 * plain text and SubRip a label cannot be told from spoken words. So these two are made from Markdown and WebVTT, where it
 * is marked, and every other character is as the service writes it. In subtitles, a line with a longer name is longer.
 */

import { namesOf } from './speaker-names.js'

/** @import { FileChoice } from '../../types.js' */
/** @import { Api } from '../account/api.js' */
/** @import { TranscriptFormat } from '../haul-client.js' */
/** @import { Names } from './speaker-names.js' */

/** A file with the names that this browser has for the speakers. @param {Api} api @param {string} jobId @param {FileChoice} choice */
export const transcriptFile = async (api, jobId, { format, speakers, chapters }) => {
  const names = namesOf(jobId)
  const isNamed = names.size > 0 && (speakers || format === 'tsv')
  const asked = /** @type {TranscriptFormat} */ (isNamed ? formatToName(format) : format)
  const file = await api.transcript(jobId, asked, { speakers, chapters })
  if (typeof file === 'string') return isNamed ? withNames(file, format, names) : file
  return JSON.stringify(file, (key, value) => (key === 'speaker' ? (names.get(value) ?? value) : value))
}

/** Safari allows copying only if the clipboard is written before the text has loaded. @param {Promise<string>} file */
export const copyFile = async (file) => {
  try {
    const text = file.then((content) => new Blob([content], { type: 'text/plain' }))
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })])
  } catch {
    // If loading the text has failed, that error is thrown.
    await file
    throw new Error('The browser did not allow copying. Save the plain text instead.')
  }
}

/** The format to ask the service for. @param {string} format */
export const formatToName = (format) => ({ txt: 'md', srt: 'vtt' })[format] ?? format

/** @param {string} text In the format that `formatToName` returns. @param {string} format Of the result. @param {Names} names */
export const withNames = (text, format, names) => {
  const nameOf = (/** @type {string} */ label) => names.get(label) ?? label
  if (format === 'tsv') return namedTable(text, nameOf)
  if (format === 'md')
    return text
      .split('\n\n')
      .map((part) => namedParagraph(part, nameOf))
      .join('\n\n')
  if (format === 'txt') return plainText(text, nameOf)
  return format === 'srt' ? subRip(cuesOf(text, nameOf)) : webVtt(cuesOf(text, nameOf))
}

/** @typedef {(label: string) => string} NameOf */

/** The speaker is the last of four columns, if there are any. @param {string} text @param {NameOf} nameOf */
const namedTable = (text, nameOf) => {
  const [head = '', ...rows] = text.split('\n')
  if (!head.endsWith('\tspeaker')) return text
  const named = rows.map((row) => {
    const at = row.lastIndexOf('\t') + 1
    return row.slice(0, at) + nameOf(row.slice(at))
  })
  return [head, ...named].join('\n')
}

/**
 * What precedes a paragraph: its time, and the label of its speaker or nothing. Escaped text has no two asterisks side by side.
 * @param {string} part
 */
const openingOf = (part) => {
  if (!part.startsWith('**[')) return null
  const time = part.slice(0, part.indexOf(']') + 1)
  const end = part.indexOf('** ')
  const label = unescapeMarkdown(part.slice(time.length + 1, Math.max(time.length, end - 1)))
  return { time, label, text: part.slice(end + 3) }
}

/** @param {string} part @param {NameOf} nameOf */
const namedParagraph = (part, nameOf) => {
  const opening = openingOf(part)
  if (!opening?.label) return part
  return `${opening.time} ${escapeMarkdown(nameOf(opening.label))}:** ${opening.text}`
}

/** Without the title of the media, which only Markdown has. @param {string} markdown @param {NameOf} nameOf */
const plainText = (markdown, nameOf) => {
  const parts = markdown.trimEnd().split('\n\n')
  const withoutTitle = parts.filter((part) => !part.startsWith('# '))
  const plain = withoutTitle.map((part) => {
    const { label = '', text = part.replace(/^## /, '') } = openingOf(part) ?? {}
    return (label && `${nameOf(label)}: `) + unescapeMarkdown(text)
  })
  return `${plain.join('\n\n')}\n`
}

/** @param {string} text */
const escapeMarkdown = (text) => text.replace(/[\\`*_[\]<>#~$|&]/g, '\\$&')

/** @param {string} text */
const unescapeMarkdown = (text) => text.replace(/\\([\\`*_[\]<>#~$|&])/g, '$1')

/** @typedef {{time: string, voice: string | null, text: string}} Cue */

/** @param {string} text @param {NameOf} nameOf @returns {Cue[]} */
const cuesOf = (text, nameOf) => {
  /** @type {string | null} */
  let previous = null
  return text
    .trimEnd()
    .split('\n\n')
    .slice(1)
    .map((cue) => {
      const [time = '', ...lines] = cue.split('\n')
      const [tag = '', escaped] = /^<v ([^>]*)>/.exec(lines[0] ?? '') ?? []
      const spoken = unescapeVtt(lines.join('\n').slice(tag.length))
      if (escaped === undefined) {
        previous = null
        return { time, voice: null, text: spoken }
      }
      const label = unescapeVtt(escaped)
      const isChanged = label !== previous
      previous = label
      return { time, voice: nameOf(label), text: isChanged ? namedText(spoken, label, nameOf(label)) : spoken }
    })
}

/** The label precedes the first words of a speaker. A line may end between its words. @param {string} text @param {string} label @param {string} name */
const namedText = (text, label, name) => {
  const length = label.length + 1
  return text.slice(0, length).replaceAll('\n', ' ') === `${label}:` ? `${name}:${text.slice(length)}` : text
}

/** @param {string} text */
const unescapeVtt = (text) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

/** @param {string} text */
const escapeVtt = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** @param {Cue[]} cues */
const webVtt = (cues) => {
  const blocks = cues.map(({ time, voice, text }) => {
    const tag = voice === null ? '' : `<v ${escapeVtt(voice)}>`
    return `${time}\n${tag}${escapeVtt(text)}\n`
  })
  return ['WEBVTT\n', ...blocks].join('\n')
}

/** @param {Cue[]} cues */
const subRip = (cues) =>
  cues
    .map(({ time, text }, index) => {
      const lines = text.replaceAll('-->', '→').split('\n')
      return `${[index + 1, time.replaceAll('.', ','), ...lines].join('\r\n')}\r\n\r\n`
    })
    .join('')
