/*
 * Runs before the page is painted, so that nothing moves afterwards: shows what needs scripts, and opens the tabs that
 * the reader chose before, or that a link names (`/docs?door=python`).
 */
{
  document.documentElement.classList.add('scripted')
  const asked = new URLSearchParams(location.search).get('door')
  if (asked) sessionStorage.setItem('door', asked)
  const chosen = sessionStorage.getItem('door')

  /** @param {Node} node */
  const open = (node) => {
    if (node instanceof HTMLInputElement && node.type === 'radio' && node.value === chosen) node.checked = true
  }
  if (chosen) {
    const observer = new MutationObserver((records) => {
      for (const { addedNodes } of records) for (const node of addedNodes) open(node)
    })
    observer.observe(document, { childList: true, subtree: true })
    addEventListener('DOMContentLoaded', () => observer.disconnect())
  }
}
