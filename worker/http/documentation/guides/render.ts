import { html, raw } from 'hono/html'
import { Marked, marked, type Token, type Tokens } from 'marked'
import { type Html, nothing } from '../frame.ts'

/** Words in lower case with hyphens between them, after the id of the guide. `depth` 1 is the title of the guide. */
export const headingId = (guideId: string, title: string, depth: number): string => {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return depth === 1 ? guideId : [guideId, ...words].join('-')
}

/** A guide as HTML. Its title becomes a heading of level 2, because the page has its own. */
export const renderGuide = (guideId: string, markdown: string): Html[] => {
  const prose = proseRenderer(guideId)
  let groups = 0
  return blocksOf(markdown).map((block) => {
    if ('tokens' in block) return raw(prose.parser(block.tokens))
    const [only] = block.snippets
    if (block.snippets.length === 1 && only) return codeBlock(only)
    groups += 1
    return tabs(block.snippets, `${guideId}-${groups}`)
  })
}

const proseRenderer = (guideId: string): Marked => {
  let sectionId = guideId
  return new Marked({
    renderer: {
      heading({ tokens, text, depth }) {
        const id = headingId(guideId, text, depth)
        sectionId = id
        const level = depth + 1
        return `<h${level} id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></h${level}>\n`
      },
      table({ header, rows }) {
        const label = header.map(({ text }) => text.replaceAll('`', '')).join(', ')
        const contentOf = ({ tokens }: Tokens.TableCell) => this.parser.parseInline(tokens)
        const head = header.map((cell) => `<th scope="col">${contentOf(cell)}</th>`).join('')
        const body = rows
          .map((row) => `<tr${rowId(sectionId, row)}>${row.map((cell) => `<td>${contentOf(cell)}</td>`).join('')}</tr>`)
          .join('')
        return `<div class="scroll" tabindex="0" role="group" aria-label="${label}"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>\n`
      },
      html: ({ text }) => {
        throw new Error(`A guide has no HTML: ${text}`)
      },
    },
  })
}

/** A row about an error code can be linked to. */
const rowId = (sectionId: string, row: Tokens.TableCell[]): string => {
  const code = row.map(({ text }) => /^`([A-Z_]+)`$/.exec(text)?.[1]).find(Boolean)
  return code ? ` id="${codeId(sectionId, code)}"` : ''
}

export const codeId = (sectionId: string, code: string): string =>
  `${sectionId}-${code.toLowerCase().replaceAll('_', '-')}`

const codeBlock = ({ text, language, output }: Snippet): Html => html`
  <div class="code"><pre tabindex="0"><code>${coloured(text, language)}</code></pre></div>
  ${output ? html`<div class="output"><p>Output</p><pre tabindex="0"><code>${coloured(output.text, output.language)}</code></pre></div>` : nothing}`

/** A group of radio buttons: it works without a script, with the keys of radio buttons. */
const tabs = (snippets: Snippet[], name: string): Html => html`
  <div class="doors">
    <fieldset>
      <legend class="unseen">Show this in</legend>
      ${snippets.map(({ door }, index) => choice(door, name, index === 0))}
    </fieldset>
    ${snippets.map((snippet) => html`<div class="panel" data-door="${snippet.door}">${codeBlock(snippet)}</div>`)}
  </div>`

const choice = (door: Door | null, name: string, isFirst: boolean): Html => {
  if (!door) throw new Error(`A snippet of ${name} has no door`)
  return html`<label><input type="radio" name="${name}" value="${door}" ${isFirst ? 'checked' : ''}><span>${doors[door]}</span></label>`
}

/** Comments, strings, and names of variables or keywords. Anything else keeps the colour of the text. */
const patterns: Record<string, RegExp> = {
  sh: /(?<comment>(?<=^|\n)#.*)|(?<string>"[^"\n]*"|'[^'\n]*')|(?<name>\$\w+)/g,
  ts: /(?<comment>(?<=^|\s)\/\/.*)|(?<string>"[^"\n]*"|'[^'\n]*'|`[^`]*`)|(?<name>\b(?:import|from|const|new|await|for|of|if|try|catch|throw|return|async)\b)/g,
  python:
    /(?<comment>(?<=^|\s)#.*)|(?<string>"[^"\n]*"|'[^'\n]*')|(?<name>\b(?:import|from|with|as|for|in|if|def|return|class|try|except|print)\b)/g,
  json: /(?<name>"[^"\n]*"(?=:))|(?<string>"[^"\n]*")/g,
}

const coloured = (text: string, language: string): Html[] => {
  const pattern = patterns[language === 'js' ? 'ts' : language]
  if (!pattern) return [html`${text}`]
  const parts: Html[] = []
  let done = 0
  for (const { index, 0: found, groups = {} } of text.matchAll(pattern)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined)
    parts.push(html`${text.slice(done, index)}<span class="c-${kind}">${found}</span>`)
    done = index + found.length
  }
  return [...parts, html`${text.slice(done)}`]
}

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
