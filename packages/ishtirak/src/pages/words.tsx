// A text of which a date, or an amount with its unit, stays whole.
import { escapeHtml, type PropsWithChildren } from '@kitajs/html'

/** All but the space that does not break. What stands between them is a word, or words that are joined. */
const SPACES = /([^\S\u00a0]+)/

/** They go to the next line together; wider than a line they break between words, not in `2 000`. */
export function Words({ children }: PropsWithChildren<{ children: string }>) {
  const parts = children.split(SPACES)
  return (
    <>
      {parts.map((part) =>
        /\S\u00a0/.test(part) && isClosed(part) ? (
          <span class="whole" safe>
            {part.replace(/\u00a0(?!\d{3}(?!\d))/g, ' ')}
          </span>
        ) : (
          escapeHtml(part)
        ),
      )}
    </>
  )
}

/** What is isolated in it ends in it. */
function isClosed(part: string): boolean {
  return part.replace(/[^\u2066-\u2068]/g, '').length === part.replace(/[^\u2069]/g, '').length
}
