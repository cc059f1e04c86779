// In the browser, behind swagger-ui-bundle.js: shows the reference, with the keys of the sandbox filled in.
const { url, keys } = document.getElementById('document').dataset
const ui = SwaggerUIBundle({
  url,
  dom_id: '#document',
  deepLinking: true,
  tryItOutEnabled: true,
  onComplete: () => {
    for (const [scheme, key] of Object.entries(JSON.parse(keys))) ui.preauthorizeApiKey(scheme, key)
  },
})
