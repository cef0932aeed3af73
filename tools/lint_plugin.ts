/**
 * House rules as lint rules.
 *
 * `core-purity`: files under src/core name no runtime, clock, random source, timer or environment.
 * `no-provider-literal`: shared code never compares a provider id; it asks the provider's record.
 * `error-message`: a thrown message starts with a capital letter and has no final period.
 * `function-declaration`: top-level functions use the `function` keyword.
 * `file-path`: a module's own URL becomes a path by `fileURLToPath`, which knows spaces.
 */

import { fileURLToPath } from "node:url";
import { PROVIDER_WORDS } from "./provider_words.ts";

const IMPURE_GLOBALS = new Set([
  "Deno",
  "performance",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
  "fetch",
  "process",
  "crypto",
  "console",
  "navigator",
  "localStorage",
]);

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Below the tree's root, which may itself lie in a folder called "src" or "tests". */
function inTree(filename: string): string {
  return filename.startsWith(ROOT) ? filename.slice(ROOT.length) : filename;
}

function isCore(filename: string): boolean {
  return inTree(filename).startsWith("src/core/");
}

function isSharedSource(filename: string): boolean {
  const path = inTree(filename);
  return path === "main.ts" || path.startsWith("src/") && !path.startsWith("src/core/providers/");
}

function messageIssue(text: string): string | undefined {
  const first = text.trimStart()[0];
  if (first !== undefined && first !== first.toUpperCase()) return "start with a capital letter";
  if (text.endsWith(".")) return "drop the final period";
  return undefined;
}

function literalText(node: Deno.lint.Node | undefined): string | undefined {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  return undefined;
}

const plugin: Deno.lint.Plugin = {
  name: "mytty",
  rules: {
    "core-purity": {
      create(context) {
        if (!isCore(context.filename)) return {};
        const report = (node: Deno.lint.Node, what: string) =>
          context.report({ node, message: `Core is pure: ${what} is not allowed here` });
        return {
          Identifier(node) {
            const parent = node.parent;
            const isMember = parent?.type === "MemberExpression" && parent.property === node &&
              !parent.computed;
            const isKey = parent?.type === "Property" && parent.key === node;
            // A field may be called `process`; the global is only ever used as `process.something`.
            const isUse = node.name !== "process" ||
              (parent?.type === "MemberExpression" && parent.object === node);
            if (!isMember && !isKey && isUse && IMPURE_GLOBALS.has(node.name)) {
              report(node, node.name);
            }
          },
          MemberExpression(node) {
            if (node.object.type !== "Identifier" || node.property.type !== "Identifier") return;
            const name = `${node.object.name}.${node.property.name}`;
            if (name === "Date.now" || name === "Math.random") report(node, name);
          },
          NewExpression(node) {
            if (
              node.callee.type === "Identifier" && node.callee.name === "Date" &&
              node.arguments.length === 0
            ) {
              report(node, "new Date()");
            }
          },
          ImportDeclaration(node) {
            if (/^(node:|npm:)/.test(node.source.value)) report(node, node.source.value);
          },
        };
      },
    },
    "no-provider-literal": {
      create(context) {
        if (!isSharedSource(context.filename)) return {};
        return {
          BinaryExpression(node) {
            if (!/^[!=]==?$/.test(node.operator)) return;
            for (const side of [node.left, node.right]) {
              const text = literalText(side as Deno.lint.Node);
              if (text !== undefined && PROVIDER_WORDS.has(text)) {
                context.report({
                  node,
                  message: `Ask the provider's record instead of comparing with "${text}"`,
                });
              }
            }
          },
        };
      },
    },
    "error-message": {
      create(context) {
        if (inTree(context.filename).startsWith("tests/")) return {};
        return {
          ThrowStatement(node) {
            if (node.argument.type !== "NewExpression") return;
            const text = literalText(node.argument.arguments[0] as Deno.lint.Node | undefined);
            const issue = text === undefined ? undefined : messageIssue(text);
            if (issue !== undefined) context.report({ node, message: `Error message: ${issue}` });
          },
        };
      },
    },
    "function-declaration": {
      create(context) {
        return {
          "Program > VariableDeclaration > VariableDeclarator > ArrowFunctionExpression"(node) {
            context.report({ node, message: "Use the function keyword for top-level functions" });
          },
        };
      },
    },
    "file-path": {
      create(context) {
        return {
          MemberExpression(node) {
            const { object, property } = node;
            const isPathOfURL = property.type === "Identifier" && property.name === "pathname" &&
              object.type === "NewExpression" && object.callee.type === "Identifier" &&
              object.callee.name === "URL" && object.arguments.length === 2;
            if (isPathOfURL) {
              context.report({ node, message: "Use fileURLToPath: a URL's path is escaped" });
            }
          },
        };
      },
    },
  },
};

export default plugin;
