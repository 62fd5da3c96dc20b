import { html } from 'hono/html'
import type { Html } from '../reference/markup.ts'

/** Comments, strings, and names of variables or keywords. Anything else keeps the colour of the text. */
const patterns: Record<string, RegExp> = {
  sh: /(?<comment>(?<=^|\n)#.*)|(?<string>"[^"\n]*"|'[^'\n]*')|(?<name>\$\w+)/g,
  ts: /(?<comment>(?<=^|\s)\/\/.*)|(?<string>"[^"\n]*"|'[^'\n]*'|`[^`]*`)|(?<name>\b(?:import|from|const|new|await|for|of|if|try|catch|throw|return|async)\b)/g,
  python:
    /(?<comment>(?<=^|\s)#.*)|(?<string>"[^"\n]*"|'[^'\n]*')|(?<name>\b(?:import|from|with|as|for|in|if|def|return|class|try|except|print)\b)/g,
  json: /(?<name>"[^"\n]*"(?=:))|(?<string>"[^"\n]*")/g,
}

/** A code block's text with a `span` for what has a colour of its own. */
export const coloured = (text: string, language: string): Html[] => {
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
