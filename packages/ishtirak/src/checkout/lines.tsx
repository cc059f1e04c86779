// The lines of an order, a payment or a plan: a name, and what it is.
import { Words } from '../pages/parts.js'

/** A line whose value is null is left out. The parts of a value are separated by points. */
export type NamedLine = readonly [
  name: string,
  value: string | readonly string[] | null,
  kind?: 'total' | 'saves' | 'id',
]

export function Lines({ lines, look }: { readonly lines: readonly NamedLine[]; readonly look: string }) {
  return (
    <dl class={look}>
      {lines.map(([name, value, kind]) =>
        value === null ? null : (
          <div class={kind}>
            <dt safe>{name}</dt>
            <dd>{kind === 'id' ? <Id>{String(value)}</Id> : [value].flat().map(Part)}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

/** An id is written from left to right in every language. */
export function Id({ children }: { children: string }) {
  return (
    <code dir="ltr" safe>
      {children}
    </code>
  )
}

function Part(part: string, place: number) {
  return (
    <>
      {place === 0 ? '' : ' · '}
      <bdi>
        <Words>{part}</Words>
      </bdi>
    </>
  )
}
