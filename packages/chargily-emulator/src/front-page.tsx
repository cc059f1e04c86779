// The emulator's root page: what it is, and links. It shows no key.
import type { FastifyInstance } from 'fastify'
import type { EmulatorContext } from './context.js'
import { languageOf, pageOf } from './layout.js'
import type { Locale } from './records.js'
import { sendPage } from './routes.js'
import { TEXTS } from './texts.js'

export function frontPageRoute(app: FastifyInstance, { publicUrl }: EmulatorContext): void {
  app.get('/', async (request, reply) => {
    const ranges = (request.headers['accept-language'] ?? '').split(',')
    const preferred = ranges.map((range) => range.trim().slice(0, 2))
    return sendPage(reply, frontPage(publicUrl(), languageOf(request, ...preferred, 'en')))
  })
}

const FOR_PROGRAMS = ['clock', 'faults', 'deliveries', 'checkouts']

function frontPage(url: string, locale: Locale): string {
  const texts = TEXTS[locale].front
  return pageOf(
    locale,
    <>
      <h1 safe>{texts.title}</h1>
      <p safe>{texts.intro}</p>
      <h2 safe>{texts.controls}</h2>
      <p safe>{texts.controlsText}</p>
      <p>
        <a href={`${url}/_sandbox`} hreflang="en" safe>
          {texts.controlsLink}
        </a>
      </p>
      <h2 safe>{texts.tryOut}</h2>
      <p safe>{texts.tryOutText}</p>
      <pre dir="ltr" safe>
        {`curl -s ${url}/test/api/v2/checkouts \\
  -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"amount":2000,"currency":"dzd","success_url":"https://example.com/"}'`}
      </pre>
      <p safe>{texts.orByScript}</p>
      <pre dir="ltr" safe>
        {'curl -i "$CHECKOUT_URL" -d payment_method=edahabia -d outcome=paid'}
      </pre>
      <p class="note" dir="ltr">
        <code>payment_method</code>: edahabia, cib · <code>outcome</code>: paid, failed, canceled
      </p>
      <h2 safe>{texts.addresses}</h2>
      <Address name={texts.testMode} address={`${url}/test/api/v2`} />
      <Address name={texts.liveMode} address={`${url}/api/v2`} />
      <p safe>{texts.forPrograms}</p>
      {FOR_PROGRAMS.map((name) => (
        <p>
          <code dir="ltr" safe>
            {`${url}/_sandbox/${name}`}
          </code>
        </p>
      ))}
    </>,
    { title: texts.title, isWide: true },
  )
}

function Address({ name, address }: { name: string; address: string }) {
  return (
    <p>
      <span safe>{name}</span>{' '}
      <code dir="ltr" safe>
        {address}
      </code>
    </p>
  )
}
