import type { z } from 'zod'
import { DAY_MS } from '../time.ts'
import type { Rule } from './setting.ts'

export const text: Rule<string> = { mustBe: 'text', read: (given) => given }

export const wholeNumber = (from: number, to = Number.MAX_SAFE_INTEGER): Rule<number> => ({
  mustBe:
    to === Number.MAX_SAFE_INTEGER ? `a whole number of at least ${from}` : `a whole number from ${from} to ${to}`,
  read: (given, refuse) => {
    const number = Number(given)
    return Number.isInteger(number) && number >= from && number <= to ? number : refuse(given)
  },
})

/** At most a day: a longer time would be a mistake, and timers fail beyond 24 days. */
export const milliseconds = (from: number): Rule<number> => wholeNumber(from, DAY_MS)

export const share: Rule<number> = {
  mustBe: 'a number from 0 to 1',
  read: (given, refuse) => {
    const number = Number(given)
    return number >= 0 && number <= 1 ? number : refuse(given)
  },
}

const MAX_PORT = 65_535

export const port: Rule<number> = {
  mustBe: 'a port number',
  read: (given, refuse) => portIn(given) ?? refuse(given),
}

/** With 0, the program takes a free port. */
export const portOrAny: Rule<number> = {
  mustBe: 'a port number, or 0 for any that is free',
  read: (given, refuse) => (Number(given) === 0 ? 0 : (portIn(given) ?? refuse(given))),
}

const portIn = (given: string): number | null => {
  const number = Number(given)
  return Number.isInteger(number) && number > 0 && number <= MAX_PORT ? number : null
}

export const oneOf = <const Word extends string>(...words: Word[]): Rule<Word> => ({
  mustBe: [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(' or '),
  read: (given, refuse) => words.find((word) => word === given) ?? refuse(given),
})

/** Without a slash at its end, so that a path can follow. */
export const url = (example: string): Rule<string> => ({
  mustBe: `a URL like ${example}`,
  read: (given, refuse) => baseUrl(given) ?? refuse(given),
})

/** Without a slash at its end, so that a path can follow. */
export const path = (example: string): Rule<string> => ({
  mustBe: `a path like ${example}`,
  read: (given, refuse) => (/^(\/[\w.-]+)+$/.test(given) ? given : refuse(given)),
})

/** A version as the package index has it: 2026.10.26, or 2026.10.26.220202.dev0 for a nightly one. */
const ytDlpVersion = /^\d{4}\.\d{1,2}\.\d{1,2}(\.\d{1,6})?(\.(post|dev)\d{1,6})?$/

export const ytDlpChannel: Rule<string> = {
  mustBe: 'pinned, stable, nightly or a version like 2026.10.26',
  read: (given, refuse) =>
    ['pinned', 'stable', 'nightly'].includes(given) || ytDlpVersion.test(given) ? given : refuse(given),
}

/** Its files are executed, so nobody on the way may be able to change them. */
export const ytDlpIndex: Rule<URL> = {
  mustBe: 'a URL like https://pypi.org/simple, with https or on this machine',
  read: (given, refuse) => {
    const parsed = httpUrl(given)
    const isHere = parsed !== null && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(parsed.hostname)
    return parsed && (parsed.protocol === 'https:' || isHere) ? parsed : refuse(given)
  },
}

/** A URL whose path is continued. It is not a secret, so it may hold none. */
export const serviceUrl = (example: string): Rule<URL> => ({
  mustBe: `a URL like ${example}, without a password or a query`,
  read: (given, refuse) => {
    const parsed = httpUrl(given)
    if (parsed?.username || parsed?.password) return refuse(`${parsed.protocol}//…@${parsed.host}`)
    return parsed && !parsed.search && !parsed.hash ? parsed : refuse(given)
  },
})

const listOf =
  <Entry>(read: (entry: string) => Entry | null): Rule<Entry[]>['read'] =>
  (given, refuse) => {
    const entries = given.split(',').flatMap((entry) => entry.trim() || [])
    return entries.length === 0 ? refuse(given) : entries.map((entry) => read(entry) ?? refuse(entry))
  }

export const urls = (example: string): Rule<string[]> => ({
  mustBe: `URLs like ${example}, separated by commas`,
  read: listOf((entry) => baseUrl(entry)),
})

const baseUrl = (given: string): string | null => (httpUrl(given) ? given.replace(/\/$/, '') : null)

const httpUrl = (given: string): URL | null => {
  const parsed = URL.parse(given)
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed : null
}

export interface HostAndPort {
  /** A name or an address, without the brackets of IPv6. */
  host: string
  port: number
}

const hostAndPort = (entry: string): HostAndPort | null => {
  const [, name = '', digits = ''] = /^([^/?#@]+):(\d+)$/.exec(entry) ?? []
  const number = portIn(digits)
  // With a path, so that the parser does not take a part of the name for a port.
  const host = URL.parse(`http://${name}/`)
  return number !== null && host?.port === '' ? { host: host.hostname.replace(/^\[|\]$/g, ''), port: number } : null
}

export const hostsWithPorts = (example: string): Rule<HostAndPort[]> => ({
  mustBe: `hosts with ports like ${example}, separated by commas`,
  read: listOf(hostAndPort),
})

export interface NamedFolder {
  name: string
  folder: string
}

const namedFolder = (entry: string): NamedFolder | null => {
  const [, name = '', folder = ''] = /^(\w[\w.-]{0,99})=(.+)$/.exec(entry) ?? []
  return name ? { name, folder } : null
}

export const namedFolders: Rule<NamedFolder[]> = {
  mustBe: 'names with folders like parakeet=/models/parakeet, separated by spaces, each name once',
  read: (given, refuse) => {
    const all = listOf(namedFolder)(given.replace(/\s+/g, ','), refuse)
    const again = all.find(({ name }, index) => all.findIndex((each) => each.name === name) < index)
    return again ? refuse(`${again.name}=${again.folder}`) : all
  },
}

export const textOf = ({ mustBe, read }: Rule<unknown>): Rule<string> => ({
  mustBe,
  read: (given, refuse) => {
    read(given, refuse)
    return given
  },
})

/** A word or JSON that the schema accepts. The message names the first field that is wrong. */
export const jsonOf = <Value>(schema: z.ZodType<Value>, mustBe: string): Rule<Value> => ({
  mustBe,
  read: (given, refuse) => {
    const value = parsedJson(given)
    const { data, error } = schema.safeParse(value)
    if (!error) return data
    return refuse(wrongField(value, error.issues) ?? given)
  },
})

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** `captions: -1`, or null if the value as a whole is wrong. */
const wrongField = (value: unknown, [issue]: z.core.$ZodIssue[]): string | null => {
  if (issue?.code === 'invalid_union') return wrongField(value, issue.errors.at(-1) ?? [])
  const path = issue?.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : (issue?.path ?? [])
  if (path.length === 0) return null
  const wrong = path.reduce<unknown>((inner, name) => (inner as Record<PropertyKey, unknown>)[name], value)
  return `${path.join('.')}: ${JSON.stringify(wrong)}`
}

/** A format with its own parser, whose errors name the setting and the entry. */
export const parsedBy = <Value>(parse: (text: string) => Value, mustBe: string): Rule<Value> => ({
  mustBe,
  read: (given) => parse(given),
})
