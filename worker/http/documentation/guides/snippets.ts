import { marked, type Token, type Tokens } from 'marked'

/** The ways to use Haul that guides show side by side. The first one is open until the reader chooses another. */
export const doors = {
  curl: 'curl',
  typescript: 'TypeScript',
  node: 'Node.js',
  python: 'Python',
  cli: 'Command line',
  mcp: 'MCP',
} as const

export type Door = keyof typeof doors

/**
 * A fenced code block: "```sh curl". The word after the language is its door. A block with the word `output` is what
 * the snippet before it prints.
 */
export interface Snippet {
  door: Door | null
  language: string
  text: string
  output: { language: string; text: string } | null
}

/** Consecutive snippets are shown as tabs. */
export type Block = { snippets: Snippet[] } | { tokens: Token[] }

export const blocksOf = (markdown: string): Block[] => {
  const blocks: Block[] = []
  for (const token of marked.lexer(markdown)) {
    const last = blocks.at(-1)
    if (token.type === 'code') addCode(blocks, token as Tokens.Code)
    else if (token.type === 'space') continue
    else if (last && 'tokens' in last) last.tokens.push(token)
    else blocks.push({ tokens: [token] })
  }
  return blocks
}

const addCode = (blocks: Block[], { lang = '', text }: Tokens.Code): void => {
  const [language = '', label] = lang.split(' ')
  const last = blocks.at(-1)
  const group = last && 'snippets' in last ? last.snippets : null
  if (label === 'output') {
    const snippet = group?.at(-1)
    if (!snippet || snippet.output) throw new Error(`The output has no snippet: ${text}`)
    snippet.output = { language, text }
    return
  }
  if (label !== undefined && !isDoor(label)) throw new Error(`"${label}" is no door: ${text}`)
  const snippet = { door: label ?? null, language, text, output: null }
  if (group) group.push(snippet)
  else blocks.push({ snippets: [snippet] })
}

const isDoor = (label: string): label is Door => Object.hasOwn(doors, label)
