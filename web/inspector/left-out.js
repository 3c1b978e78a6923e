/** Plugins of esbuild that leave an `import()` as it is, so that the bundle lacks the module. */

/**
 * @param {string} name
 * @param {RegExp} filter finds modules, as they are imported
 * @returns {import('esbuild').Plugin}
 */
export const left = (name, filter) => ({
  name,
  setup: (one) => one.onResolve({ filter }, ({ path }) => ({ path, external: true })),
});

/** Parts of the package that it loads on demand, and that the page never calls: it neither cuts models nor asks for
 * fields of a message. */
export const unused = left('unused', /^\.\/cut\.js$|^\.\/reader\/paged-fields\.js$/);
