import { parseXml, XmlElement, type XmlNode, XmlText } from '@rgrove/parse-xml'
import { decodeHTMLStrict } from 'entities'
import { CaptionsTooLarge, type Cue } from '../cue.ts'
import { decodeEntities } from './markup.ts'

/**
 * TTML and DFXP (`<p begin end|dur>`), and YouTube's srv1 (`<text start dur>` in seconds), srv2 (`<text t d>`) and srv3
 * (`<p t d>` in milliseconds). Regions and styles are ignored. Invalid XML has no cues.
 */
export function* ttmlCues(text: string): Generator<Cue> {
  refuseTooManyTags(text)
  const root = rootOf(text)
  if (root) yield* cuesWithin(root, { offset: 0, ...ratesOf(root) }, 0)
}

interface Clock {
  /** The start of the enclosing element, in seconds. Times inside it are relative. */
  offset: number
  frameRate: number
  tickRate: number
}

/** Real files nest about five levels. Deeper elements are ignored, so that recursion is bounded. */
const maxDepth = 40

/** The tree takes about 500 bytes per tag. 100,000 cues have a few tags each, closing tags included. */
const maxTags = 500_000

export const refuseTooManyTags = (text: string) => {
  let count = 0
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) {
    if (++count > maxTags) throw new CaptionsTooLarge(`more than ${maxTags} tags`)
  }
}

const rootOf = (text: string): XmlElement | null => {
  try {
    return parseXml(text, { resolveUndefinedEntity: (entity) => decodeHTMLStrict(entity) }).root
  } catch {
    return null
  }
}

const ratesOf = ({ attributes }: XmlElement) => {
  const [numerator = 1, denominator = 1] = (attributes['ttp:frameRateMultiplier'] ?? '1 1').split(/[ :]/, 2).map(Number)
  const frameRate = (Number(attributes['ttp:frameRate'] ?? 30) * numerator) / denominator
  return { frameRate, tickRate: Number(attributes['ttp:tickRate'] ?? frameRate) }
}

function* cuesWithin(element: XmlElement, clock: Clock, depth: number): Generator<Cue> {
  if (depth > maxDepth || element.attributes.a === '1' || element.attributes.append === '1') return
  const times = timesOf(element, clock)
  const inner = { ...clock, offset: times?.start ?? clock.offset }
  if (times?.end != null && holdsText(element)) {
    const text = textOf(element, depth)
    if (text.trim() !== '' && times.end > times.start) yield { start: times.start, end: times.end, text }
    return
  }
  for (const child of element.children) if (child instanceof XmlElement) yield* cuesWithin(child, inner, depth + 1)
}

const localName = ({ name }: XmlElement) => name.slice(name.indexOf(':') + 1)

const holdsText = (element: XmlElement) => ['p', 'span', 'text'].includes(localName(element))

const timesOf = ({ attributes }: XmlElement, clock: Clock): { start: number; end: number | null } | null => {
  if (attributes.t !== undefined) return span(Number(attributes.t) / 1000, Number(attributes.d ?? 0) / 1000)
  if (attributes.start !== undefined) return span(Number(attributes.start), Number(attributes.dur ?? 0))
  const begin = seconds(attributes.begin, clock)
  if (begin === null && attributes.end === undefined && attributes.dur === undefined) return null
  const start = clock.offset + (begin ?? 0)
  const [end, duration] = [seconds(attributes.end, clock), seconds(attributes.dur, clock)]
  if (end !== null) return { start, end: clock.offset + end }
  return { start, end: duration === null ? null : start + duration }
}

const span = (start: number, duration: number) =>
  Number.isFinite(start + duration) ? { start, end: start + duration } : null

/** `hh:mm:ss.fff`, `hh:mm:ss:frames`, or a number with a unit. */
const seconds = (expression: string | undefined, { frameRate, tickRate }: Clock): number | null => {
  const [clock, hours, minutes, whole, frames] = /^(\d+):(\d+):(\d+(?:\.\d+)?)(?::(\d+))?/.exec(expression ?? '') ?? []
  if (clock !== undefined) {
    return Number(hours) * 3600 + Number(minutes) * 60 + Number(whole) + Number(frames ?? 0) / frameRate
  }
  const [offset, value, unit] = /^(\d+(?:\.\d+)?)(h|ms|m|s|f|t)$/.exec(expression?.trim() ?? '') ?? []
  if (offset === undefined) return null
  const perUnit: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 0.001, f: 1 / frameRate, t: 1 / tickRate }
  return Number(value) * (perUnit[unit ?? ''] ?? Number.NaN)
}

const textOf = (node: XmlNode, depth: number): string => {
  // The parser has decoded once; YouTube escapes twice (`&amp;#39;`).
  if (node instanceof XmlText) return decodeEntities(node.text)
  if (!(node instanceof XmlElement) || depth > maxDepth || localName(node) === 'metadata') return ''
  if (localName(node) === 'br') return '\n'
  return node.children.map((child) => textOf(child, depth + 1)).join('')
}
