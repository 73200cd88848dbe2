import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["**/*.bundle.js", "**/node_modules/", "site/", ".venv/"] },
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "consistent-return": "off",
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-shadow": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-use-before-define": ["error", { functions: false, variables: false }],
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
    },
  },
  { files: ["mediaan/**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["mediaan/server/pages/assets/theme.js", "mediaan/report/web/views/print/fit.js"], languageOptions: { sourceType: "script" } },
  { files: ["tests/**/*.js"], languageOptions: { globals: globals.node } },
];
