const SHOWN_MS = 1500

/** Browsers have a clipboard only on https and on this machine. */
export const addCopyButtons = () => {
  if (!navigator.clipboard) return
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', () => copy(button, block.querySelector('pre')?.textContent ?? ''))
    block.append(button)
  }
}

/**
 * @param {HTMLButtonElement} button
 * @param {string} text
 */
const copy = async (button, text) => {
  const isCopied = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )
  button.textContent = isCopied ? 'Copied' : 'Not allowed'
  button.classList.add('done')
  setTimeout(() => {
    button.textContent = 'Copy'
    button.classList.remove('done')
  }, SHOWN_MS)
}
