/* What `react-dom/server` is in the bundle (wrangler.toml): of its two renderers only the one behind renderToString. */
if (process.env.NODE_ENV === 'production') {
  module.exports = require('../../../node_modules/react-dom/cjs/react-dom-server-legacy.browser.production.js')
} else {
  module.exports = require('../../../node_modules/react-dom/cjs/react-dom-server-legacy.browser.development.js')
}
