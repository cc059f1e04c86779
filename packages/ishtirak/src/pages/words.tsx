// Shows a text so that a date, or an amount with its unit, is not broken over two lines.
import { escapeHtml, type PropsWithChildren } from '@kitajs/html'

/** Spaces at which a line may break. Between them is a word, or several that no-break spaces join. */
const SPACES = /([^\S\u00a0]+)/

/** Joined words go to the next line together; wider than a line they break, but not in `2 000`. */
export function Words({ children }: PropsWithChildren<{ children: string }>) {
  const parts = withoutNeedlessMarks(children).split(SPACES)
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

export function P({ class: look, children }: PropsWithChildren<{ class?: string; children: string }>) {
  return (
    <p class={look}>
      <Words>{children}</Words>
    </p>
  )
}

/** A part of a line with such a text. */
export function Inline({ class: look, children }: PropsWithChildren<{ class: string; children: string }>) {
  return (
    <span class={look}>
      <Words>{children}</Words>
    </span>
  )
}

/** Whether each direction mark that begins in the part also ends in it. */
function isClosed(part: string): boolean {
  return part.replace(/[^\u2066-\u2068]/g, '').length === part.replace(/[^\u2069]/g, '').length
}

/** A text between two direction marks: `⁨31 ديسمبر 2027 على الساعة 13:00⁩`. */
const ISOLATED = /\u2068([^\u2066-\u2069]*)\u2069/g
const IS_ARABIC = /^\P{L}*\p{Script=Arabic}/u

/**
 * Arabic in an Arabic text runs as the text does, so a date needs no marks around it. With the marks, a date
 * and its time would be two parts that are not closed, and could not break where they are wider than a line.
 */
function withoutNeedlessMarks(text: string): string {
  if (!IS_ARABIC.test(text.replace(ISOLATED, ''))) return text
  return text.replace(ISOLATED, (marked, inside: string) =>
    /\S\u00a0/.test(inside) && IS_ARABIC.test(inside) ? inside : marked,
  )
}
