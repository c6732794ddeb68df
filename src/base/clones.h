/* clones.h - a function compiled for several instruction sets of x86; the loader takes the best
 *
 * The program is compiled for the baseline of its architecture, so that it runs on every node. What
 * must be faster says so: the CPU's kernels are compiled once per instruction set by the Makefile and
 * chosen through a table; a function of ordinary C carries NAIK_CLONES. All clones give the same
 * bits: contraction is off, and fma() rounds once, in hardware as in the C library, whose slow
 * function the baseline has to call.
 *
 * GCC 12 contracts all the same where a sum and a difference of products stand side by side in one loop,
 * as the two parts of a complex product do: vfmaddsub. They then need a loop each, or fma(). A house
 * test looks for that instruction.
 *
 * What a clone calls is inlined into it where the compiler sees its body; else the baseline's
 * version is called. Parallel regions stay outside: not every compiler clones them.
 */
#ifndef NAIK_BASE_CLONES_H
#define NAIK_BASE_CLONES_H

/* Not for a sanitizer, before whose start the loader's choice would run; not where the user's flags
 * name a processor with FMA. Older compilers do not know the names. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NAIK_CLONES
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define NAIK_CLONES
#endif
#if !defined(NAIK_CLONES) && defined(__x86_64__) && defined(__gnu_linux__) && !defined(__FMA__)
#define NAIK_X86_LEVELS __target_clones__("arch=x86-64-v4", "arch=x86-64-v3", "default")
#if defined(__clang__) && __clang_major__ >= 19      /* older ones give the function another name */
#define NAIK_CLONES __attribute__((NAIK_X86_LEVELS)) /* it does not take both */
#elif !defined(__clang__) && defined(__GNUC__) && __GNUC__ >= 12
#define NAIK_CLONES __attribute__((__flatten__, NAIK_X86_LEVELS))
#endif
#endif
#ifndef NAIK_CLONES
#define NAIK_CLONES
#endif

#endif
