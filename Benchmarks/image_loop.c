// The yardstick for images: the calls that the server makes, through the server's own shims, in a bare loop.
//
//   image_loop loop FILE FORMAT WIDTH QUALITY THREADS SECONDS   prints derivatives per second
//   image_loop one FILE FORMAT WIDTH QUALITY TARGET             writes one of them
//   image_loop plain FILE TARGET WIDTH       writes what libvips' own thumbnail makes of it, all but the width as it is
//   image_loop cut FILE TARGET WIDTH HEIGHT  writes a picture's centre, unscaled
//   image_loop make FILE TARGET              writes a 4000x3000 JPEG made of a small one, with a sensor's noise
//   image_loop animate FILE TARGET           writes an animated GIF of eight frames made of it
//
// The TARGETs of plain and cut are such as libvips takes: a.jpg[Q=90].

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../Sources/System/CVips/shim.h"

// What the server writes with when the URL does not say: both sides must do the same work.
enum { AVIF_EFFORT = 2, PNG_COMPRESSION = 6, WEBP_EFFORT = 4 };
enum { MOST_THREADS = 64 };

static const char *path, *format;
static int width, quality;
static atomic_int running = 1;
static atomic_long made;

static void die(const char *what) {
    fprintf(stderr, "image_loop: %s: %s\n", what, vips_error_buffer());
    exit(1);
}

static int save(VipsImage *image, VipsTarget *target) {
    switch (*format) {
    case 'j': return cvips_jpegsave(image, target, quality, FALSE, TRUE);
    case 'w': return cvips_webpsave(image, target, quality, WEBP_EFFORT, TRUE);
    case 'a': return cvips_avifsave(image, target, quality, AVIF_EFFORT, TRUE);
    default: return cvips_pngsave(image, target, PNG_COMPRESSION, TRUE);
    }
}

static VipsBlob *derivative(void) {
    int file = open(path, O_RDONLY);
    VipsSource *source = vips_source_new_from_descriptor(file);
    if (!vips_foreign_find_load_source(source)) die("find_load");
    VipsImage *header = cvips_new_from_source(source, "");
    if (!header) die("header");
    int has_profile = cvips_has_profile(header);
    int height = (int)((double)width * header->Ysize / header->Xsize + 0.5);
    g_object_unref(header);
    VipsImage *image = NULL;
    const char *options = "[fail_on=truncated]";
    if (cvips_thumbnail_source(source, &image, width, height, options, FALSE, FALSE, has_profile)) die("thumbnail");
    VipsTarget *target = vips_target_new_to_memory();
    if (save(image, target)) die("save");
    VipsBlob *blob = cvips_target_blob(target);
    g_object_unref(target);
    g_object_unref(image);
    g_object_unref(source);
    close(file);
    return blob;
}

static void *loop(void *unused) {
    (void)unused;
    while (running) {
        cvips_blob_unref(derivative());
        vips_thread_shutdown();
        made++;
    }
    return NULL;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

// What is begun when the time is over is finished, and its time counts.
static void run(int threads, double seconds) {
    pthread_t ids[MOST_THREADS];
    double start = now();
    for (int i = 0; i < threads; i++) {
        if (pthread_create(&ids[i], NULL, loop, NULL)) die("pthread_create");
    }
    usleep(seconds * 1e6);
    running = 0;
    for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    printf("%.3f\n", made / (now() - start));
}

static void one(const char *target) {
    VipsBlob *blob = derivative();
    size_t size;
    const void *bytes = vips_blob_get(blob, &size);
    FILE *file = fopen(target, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) die("write");
}

static void plain(const char *source, const char *target, int side) {
    VipsImage *image = NULL;
    if (vips_thumbnail(source, &image, side, "height", VIPS_MAX_COORD, NULL)) die("thumbnail");
    if (vips_image_write_to_file(image, target, NULL)) die("write");
}

static void cut(const char *source, const char *target, int across, int down) {
    VipsImage *photo = vips_image_new_from_file(source, NULL), *part = NULL;
    if (!photo) die("read");
    int left = (photo->Xsize - across) / 2, top = (photo->Ysize - down) / 2;
    if (vips_crop(photo, &part, left, top, across, down, NULL)) die("crop");
    if (vips_image_write_to_file(part, target, "strip", TRUE, NULL)) die("write");
}

static void make(const char *source, const char *target) {
    VipsImage *photo = vips_image_new_from_file(source, NULL);
    VipsImage *large = NULL, *noise = NULL, *sum = NULL, *part = NULL, *bytes = NULL;
    if (!photo || vips_resize(photo, &large, 7.1, NULL)) die("resize");
    if (vips_gaussnoise(&noise, 4000, 3000, "sigma", 4.0, "mean", 0.0, "seed", 1, NULL)) die("noise");
    if (vips_crop(large, &part, 200, 0, 4000, 3000, NULL)) die("crop");
    if (vips_add(part, noise, &sum, NULL)) die("add");
    if (vips_cast(sum, &bytes, VIPS_FORMAT_UCHAR, NULL)) die("cast");
    if (vips_jpegsave(bytes, target, "Q", 90, NULL)) die("save");
}

// Each frame is the picture moved a little further.
static void animate(const char *source, const char *target) {
    enum { FRAMES = 8, STEP = 12 };
    VipsImage *photo = vips_image_new_from_file(source, NULL), *frames[FRAMES], *strip = NULL, *copy = NULL;
    if (!photo) die("read");
    for (int i = 0; i < FRAMES; i++) {
        if (vips_wrap(photo, &frames[i], "x", i * STEP, "y", 0, NULL)) die("wrap");
    }
    if (vips_arrayjoin(frames, &strip, FRAMES, "across", 1, NULL) || vips_copy(strip, &copy, NULL)) die("join");
    vips_image_set_int(copy, VIPS_META_PAGE_HEIGHT, photo->Ysize);
    if (vips_image_write_to_file(copy, target, NULL)) die("write");
}

int main(int count, char **words) {
    if (vips_init(words[0])) die("init");
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    const char *word = count > 1 ? words[1] : "";
    int loops = count == 8 && !strcmp(word, "loop");
    if (loops || (count == 7 && !strcmp(word, "one"))) {
        path = words[2];
        format = words[3];
        width = atoi(words[4]);
        quality = atoi(words[5]);
    }
    if (loops) {
        int threads = atoi(words[6]);
        if (threads < 1 || threads > MOST_THREADS) return 64;
        run(threads, atof(words[7]));
    } else if (count == 7 && !strcmp(word, "one")) {
        one(words[6]);
    } else if (count == 5 && !strcmp(word, "plain")) {
        plain(words[2], words[3], atoi(words[4]));
    } else if (count == 6 && !strcmp(word, "cut")) {
        cut(words[2], words[3], atoi(words[4]), atoi(words[5]));
    } else if (count == 4 && !strcmp(word, "make")) {
        make(words[2], words[3]);
    } else if (count == 4 && !strcmp(word, "animate")) {
        animate(words[2], words[3]);
    } else {
        return 64;
    }
    return 0;
}
