// One binary for every x86-64 CPU: the loader picks the widest of three clones. All three give the same bits.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && \
    !defined(ROSENBLATT_PLAIN)
#define ROSENBLATT_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), flatten))
#else
#define ROSENBLATT_CLONES
#endif

// Kept out of the clones, which flatten all that they call: for work that few runs ask for.
#ifdef __GNUC__
#define ROSENBLATT_APART __attribute__((noinline))
#else
#define ROSENBLATT_APART
#endif
