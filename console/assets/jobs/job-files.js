import { make } from '../dom.js'
import { capitalized, languageName, price, size } from '../format.js'

/** @import { JobFile } from '../../types.js' */

/** A link of this service as a path of this origin, the only one that the page's policy allows. Other links stay. @param {string} link */
export const ours = (link) => {
  const { pathname, search } = new URL(link)
  return /^\/(media|files)\/(imp|trn)_/.test(pathname) ? `${pathname}${search}` : link
}

/** @param {JobFile} file */
const nameOf = ({ kind, language, origin, contentType }) => {
  const media = contentType?.startsWith('video/') ? 'Video' : 'Audio'
  const automatic = origin === 'automatic' ? ', automatic' : ''
  const inLanguage = language && language !== 'und' ? ` in ${languageName(language)}` : ''
  return `${kind === 'media' ? media : capitalized(kind)}${inLanguage}${automatic}`
}

/** What failed, in words. An empty string: nothing. @param {readonly JobFile[]} [files] */
export const failuresIn = (files = []) => {
  const [first, ...others] = files.filter(({ status }) => status === 'failed')
  return first ? `${nameOf(first)}${others.length > 0 ? ` and ${others.length} more` : ''} failed` : ''
}

/** The words that the service answers with: a transcript, else captions. @param {readonly JobFile[]} [files] */
export const wordsIn = (files = []) => {
  const words = files.filter(({ status, format }) => status === 'completed' && format)
  return words.find(({ kind }) => kind === 'transcript') ?? words[0]
}

/**
 * The words as tracks of a player, which shows the first one.
 * @param {readonly JobFile[]} files
 * @param {() => Promise<string>} readWords As WebVTT, for a job without such a file here. Empty: they are not stored any more.
 */
export const captionTracks = async (files, readWords) => {
  const tracks = files
    .filter(({ format }) => format === 'vtt')
    .flatMap((file) => pathsOf(file).map((src) => ({ file, src })))
  const words = wordsIn(files)
  const text = tracks.length === 0 && words ? await readWords() : ''
  if (words && text) tracks.push({ file: words, src: URL.createObjectURL(new Blob([text], { type: 'text/vtt' })) })
  return tracks.map(({ file, src }, index) => {
    const about = { label: nameOf(file), srclang: file.language ?? '' }
    return make('track', { kind: 'captions', ...about, src, default: index === 0 })
  })
}

/** Each file with links to its formats, or why there is none. @param {readonly JobFile[]} files */
export const fileList = (files) => {
  const parts = Map.groupBy(files, ({ kind, language, origin }) => [kind, language, origin].join())
  return make('ul', { className: 'panel files', ariaLabel: 'Files' }, ...[...parts.values()].map(rowOf))
}

/** @param {JobFile[]} files Of one part */
const rowOf = (files) => {
  const facts = files.some(({ status }) => status === 'completed') ? factsOf(files) : files.map(whyOf)
  return make(
    'li',
    {},
    make('span', {}, nameOf(/** @type {JobFile} */ (files[0]))),
    make('span', { className: 'card-facts' }, ...facts.map((fact) => make('span', {}, fact))),
    make('span', { className: 'row' }, ...files.flatMap(linksTo)),
  )
}

/** @param {JobFile[]} files */
const factsOf = (files) => {
  const cost = files.reduce((sum, { costInDollars }) => sum + costInDollars, 0)
  const sizes = files.flatMap(({ sizeBytes }) => (sizeBytes === undefined ? [] : [size(sizeBytes)]))
  const keys = files.flatMap(({ key }) => (key ? [make('code', { title: 'Its key in your bucket' }, key)] : []))
  return [...sizes, price(cost), ...keys]
}

/** Of what is skipped, the service tells only the code. @type {Record<string, string>} */
const sentences = {
  NOT_AT_SOURCE: 'The source has none.',
  NO_AUDIO: 'The media has no sound.',
  NO_SPEECH: 'No speech was found.',
}

/** @param {JobFile} file */
const whyOf = ({ status, code = '', message = sentences[code] ?? `It was ${status}.` }) =>
  make('span', { className: status === 'failed' ? 'why' : '' }, message, ' ', make('code', {}, code))

/** @param {JobFile} file */
const linksTo = (file) =>
  pathsOf(file).map((href) => {
    const { filename = '' } = file
    const extension = filename.slice(filename.lastIndexOf('.'))
    return make('a', { href, download: filename, ariaLabel: `Download ${filename}` }, extension)
  })

/** None: it has no link, or one to the caller's bucket. @param {JobFile} file */
const pathsOf = ({ url }) => (url ? [ours(url)].filter((path) => path.startsWith('/')) : [])
